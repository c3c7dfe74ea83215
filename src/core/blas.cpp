#include "core/blas.hpp"

#include <cblas.h>
#include <dirent.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>
#include <string_view>

// Where OpenBLAS was built for one kind of processor, it has nothing to choose; without threads, none to end.
extern "C" {
[[gnu::weak]] void gotoblas_dynamic_init();
[[gnu::weak]] void gotoblas_dynamic_quit();
// As before a fork: they begin anew where somebody asks for several.
[[gnu::weak]] int blas_thread_shutdown_();  // NOLINT(readability-identifier-naming): OpenBLAS's name
}

namespace relucover {

namespace {
std::mutex guard;
int depth = 0;
int threads_before = 1;

#if defined(__x86_64__)

/// The kernels that this processor's instructions allow, by OpenBLAS's name for them; empty if those that it takes by itself are as good.
const char* kernels_that_fit() {
  constexpr std::array<std::string_view, 6> new_enough{"Haswell", "Zen", "Excavator", "SkylakeX", "Cooperlake", "SapphireRapids"};
  if (std::find(new_enough.begin(), new_enough.end(), openblas_get_corename()) != new_enough.end()) return "";
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    return "SkylakeX";
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? "Haswell" : "";
}

/// Whether no thread but OpenBLAS's own, which wait, could be inside BLAS.
bool nobody_else_is_running() {
  DIR* tasks = opendir("/proc/self/task");
  if (tasks == nullptr) return false;
  int threads = -2;  // . and ..
  while (readdir(tasks) != nullptr) ++threads;
  closedir(tasks);
  return threads <= std::max(1, openblas_get_num_threads());
}

/// A processor newer than OpenBLAS gets its kernels of 2004 (Debian 12's, and Intel's processors of 2023: products take five times as
/// long). What it would do if OPENBLAS_CORETYPE were set is done here, once, before anything is computed; a user who sets that is left
/// alone. Nothing here throws: it runs before main.
void choose_kernels() {
  constexpr const char* variable = "OPENBLAS_CORETYPE";
  const char* name = kernels_that_fit();
  if (gotoblas_dynamic_quit == nullptr || gotoblas_dynamic_init == nullptr || *name == '\0') return;
  // NOLINTBEGIN(concurrency-mt-unsafe): nobody else is running
  if (std::getenv(variable) != nullptr || !nobody_else_is_running() || setenv(variable, name, 1) != 0) return;
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  unsetenv(variable);
  // NOLINTEND(concurrency-mt-unsafe)
}

[[maybe_unused]] const bool kernels_chosen = (choose_kernels(), true);

#endif

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

void end_blas_threads() {
  const std::lock_guard lock(guard);
  openblas_set_num_threads(1);
  if (blas_thread_shutdown_ != nullptr) blas_thread_shutdown_();
}

}  // namespace relucover
