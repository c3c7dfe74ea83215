#include "core/blas.hpp"

#include <cblas.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

namespace relucover {
namespace {

// Whatever OpenBLAS takes an unknown processor for: the kernels of its oldest are not used where there are wider instructions.
TEST(Blas, KernelsFitTheProcessor) {
  const SingleThreadedBlas alone;
#if defined(__x86_64__)
  const bool wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const char* asked = std::getenv("OPENBLAS_CORETYPE");
  if (wide && asked == nullptr) {
    EXPECT_NE(std::string_view(openblas_get_corename()), "Prescott");
    EXPECT_NE(std::string_view(openblas_get_corename()), "Nehalem");
  }
#endif
  EXPECT_EQ(openblas_get_num_threads(), 1);
}

}  // namespace
}  // namespace relucover
