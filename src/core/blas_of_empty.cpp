// Eigen hands products with empty matrices to BLAS with a leading dimension of 0, and BLAS then prints into our user's output. The
// linker puts these in the place of the functions that Eigen calls (--wrap in CMakeLists.txt): nothing is handed on where there is
// nothing to do.
#include <cblas.h>

namespace {

using Size = const int*;
using Word = const char*;

bool is(Word word, char letter) { return *word == letter || *word == letter - 'A' + 'a'; }
CBLAS_TRANSPOSE transposed(Word word) { return is(word, 'N') ? CblasNoTrans : CblasTrans; }
CBLAS_UPLO half(Word word) { return is(word, 'U') ? CblasUpper : CblasLower; }
CBLAS_DIAG diagonal(Word word) { return is(word, 'U') ? CblasUnit : CblasNonUnit; }
CBLAS_SIDE side(Word word) { return is(word, 'L') ? CblasLeft : CblasRight; }

}  // namespace

// Fortran's names and arguments, for both precisions.
// NOLINTBEGIN(bugprone-macro-parentheses): types and names have none
#define FOR_EMPTY_MATRICES(Real, p)                                                                                                       \
  extern "C" {                                                                                                                            \
  int __wrap_##p##gemv_(Word t, Size m, Size n, const Real* f, const Real* a, Size la, const Real* x, Size ix, const Real* g, Real* y,    \
                        Size iy) {                                                                                                        \
    if (*m > 0 && *n > 0) cblas_##p##gemv(CblasColMajor, transposed(t), *m, *n, *f, a, *la, x, *ix, *g, y, *iy);                          \
    return 0;                                                                                                                             \
  }                                                                                                                                       \
  int __wrap_##p##symv_(Word u, Size n, const Real* f, const Real* a, Size la, const Real* x, Size ix, const Real* g, Real* y, Size iy) { \
    if (*n > 0) cblas_##p##symv(CblasColMajor, half(u), *n, *f, a, *la, x, *ix, *g, y, *iy);                                              \
    return 0;                                                                                                                             \
  }                                                                                                                                       \
  int __wrap_##p##trmv_(Word u, Word t, Word d, Size n, const Real* a, Size la, Real* x, Size ix) {                                       \
    if (*n > 0) cblas_##p##trmv(CblasColMajor, half(u), transposed(t), diagonal(d), *n, a, *la, x, *ix);                                  \
    return 0;                                                                                                                             \
  }                                                                                                                                       \
  int __wrap_##p##trsm_(Word s, Word u, Word t, Word d, Size m, Size n, const Real* f, const Real* a, Size la, Real* b, Size lb) {        \
    if (*m > 0 && *n > 0) cblas_##p##trsm(CblasColMajor, side(s), half(u), transposed(t), diagonal(d), *m, *n, *f, a, *la, b, *lb);       \
    return 0;                                                                                                                             \
  }                                                                                                                                       \
  int __wrap_##p##trmm_(Word s, Word u, Word t, Word d, Size m, Size n, const Real* f, const Real* a, Size la, Real* b, Size lb) {        \
    if (*m > 0 && *n > 0) cblas_##p##trmm(CblasColMajor, side(s), half(u), transposed(t), diagonal(d), *m, *n, *f, a, *la, b, *lb);       \
    return 0;                                                                                                                             \
  }                                                                                                                                       \
  int __wrap_##p##symm_(Word s, Word u, Size m, Size n, const Real* f, const Real* a, Size la, const Real* b, Size lb, const Real* g,     \
                        Real* c, Size lc) {                                                                                               \
    if (*m > 0 && *n > 0) cblas_##p##symm(CblasColMajor, side(s), half(u), *m, *n, *f, a, *la, b, *lb, *g, c, *lc);                       \
    return 0;                                                                                                                             \
  }                                                                                                                                       \
  int __wrap_##p##syrk_(Word u, Word t, Size n, Size k, const Real* f, const Real* a, Size la, const Real* g, Real* c, Size lc) {         \
    if (*n > 0 && *k > 0) cblas_##p##syrk(CblasColMajor, half(u), transposed(t), *n, *k, *f, a, *la, *g, c, *lc);                         \
    return 0;                                                                                                                             \
  }                                                                                                                                       \
  }

FOR_EMPTY_MATRICES(float, s)
FOR_EMPTY_MATRICES(double, d)
// NOLINTEND(bugprone-macro-parentheses)
