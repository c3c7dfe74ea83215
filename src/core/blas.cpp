#include "core/blas.hpp"

#include <cblas.h>

#include <mutex>

namespace relucover {

namespace {
std::mutex guard;
int depth = 0;
int threads_before = 1;
}  // namespace

SingleThreadedBlas::SingleThreadedBlas() {
  const std::lock_guard lock(guard);
  if (depth++ == 0) {
    threads_before = openblas_get_num_threads();
    openblas_set_num_threads(1);
  }
}

SingleThreadedBlas::~SingleThreadedBlas() {
  const std::lock_guard lock(guard);
  if (--depth == 0) openblas_set_num_threads(threads_before);
}

}  // namespace relucover
