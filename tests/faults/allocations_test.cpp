// Allocations fail in turn, in learn and extract: what is documented comes out, nothing leaks, and the next call works.
// The allocator of this executable is ours: glibc's, counted, and told when to fail.
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <new>

#include "relucover/errors.hpp"
#include "relucover/oracle.hpp"
#include "relucover/relucover.hpp"
#include "support/planted.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ALLOCATOR_IS_TAKEN 1
#endif

namespace {

std::atomic<long> fails_at = 0;  // counts down; 0: never
std::atomic<long> live = 0, made = 0;
std::atomic<bool> counting = false, has_failed = false, goes_on_failing = false;

bool fails_now() {
  if (!counting) return false;
  ++made;
  if (has_failed && goes_on_failing) return true;
  if (fails_at <= 0 || --fails_at > 0) return false;
  has_failed = true;
  return true;
}

}  // namespace

#ifndef ALLOCATOR_IS_TAKEN
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* memory);

void* malloc(std::size_t size) {
  if (fails_now()) {
    errno = ENOMEM;
    return nullptr;
  }
  void* memory = __libc_malloc(size);
  live += memory != nullptr;
  return memory;
}
void* calloc(std::size_t count, std::size_t size) {
  if (fails_now()) {
    errno = ENOMEM;
    return nullptr;
  }
  void* memory = __libc_calloc(count, size);
  live += memory != nullptr;
  return memory;
}
void* realloc(void* old, std::size_t size) {
  if (fails_now()) {
    errno = ENOMEM;
    return nullptr;
  }
  void* memory = __libc_realloc(old, size);
  live += (old == nullptr && memory != nullptr) - (old != nullptr && size == 0);
  return memory;
}
void* memalign(std::size_t alignment, std::size_t size) {
  if (fails_now()) {
    errno = ENOMEM;
    return nullptr;
  }
  void* memory = __libc_memalign(alignment, size);
  live += memory != nullptr;
  return memory;
}
void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }
int posix_memalign(void** to, std::size_t alignment, std::size_t size) {
  void* memory = memalign(alignment, size);
  if (memory == nullptr) return ENOMEM;
  *to = memory;
  return 0;
}
void free(void* memory) {
  live -= memory != nullptr;
  __libc_free(memory);
}
}
#endif

namespace relucover {
namespace {

/// How many allocations were made to fail, of a job that is run again and again.
struct Survival {
  long allocations = 0, failures = 0;
};

/// Runs `job` with its first allocation failing, then its second, and so on (each `every`-th of a long job). A job says what it found
/// as text; std::bad_alloc and DataError are answers too, everything else is not.
Survival fail_in_turn(const std::function<std::string()>& job, long every, bool leaks_allowed = false) {
  Survival survival;
  const std::string expected = job();  // makes what is made once: tables, arenas, buffers of libraries
  EXPECT_EQ(job(), expected);
  made = 0;
  counting = true;
  job();
  counting = false;
  survival.allocations = made;
  for (const bool going_on : {false, true})
    for (long at = 1; at <= survival.allocations; at += every) {
      goes_on_failing = going_on;
      has_failed = false;
      fails_at = at;
      const long before = live;
      std::string said, unexpected;
      counting = true;
      try {
        said = job();
      } catch (const std::bad_alloc&) {
      } catch (const DataError&) {
      } catch (const std::exception& error) {
        counting = false;
        unexpected = error.what();
      }
      counting = false;
      fails_at = 0;
      survival.failures += has_failed;
      has_failed = false;
      EXPECT_EQ(unexpected, "") << "allocation " << at;
      said = std::string();
      unexpected = std::string();
      if (!leaks_allowed) EXPECT_EQ(live - before, 0) << "allocations kept after number " << at << " failed, of " << survival.allocations;
      EXPECT_EQ(job(), expected) << "after allocation " << at << " had failed";
      if (::testing::Test::HasFailure()) return survival;
    }
  ::testing::Test::RecordProperty("allocations_failed", static_cast<int>(survival.failures));
  return survival;
}

class Allocations : public ::testing::Test {
 protected:
  void SetUp() override {
#ifdef ALLOCATOR_IS_TAKEN
    GTEST_SKIP() << "the sanitizer has an allocator of its own";
#endif
  }
  void expect_all_survived(const std::function<std::string()>& job, long every = 1, bool leaks_allowed = false) {
    const Survival survival = fail_in_turn(job, every, leaks_allowed);
    EXPECT_GT(survival.failures, 0);
  }
  test::Planted problem = test::planted({.inputs = 3, .units = 2, .seed = 1}, {.samples = 200});
};

std::string told(const Result& result) { return result.usable() ? "usable" : "not usable"; }

TEST_F(Allocations, Learn) {
  expect_all_survived(
      [&] {
        const Result result = learn(problem.samples, {.units = 2, .threads = 1, .starts = 1});
        EXPECT_FALSE(result.message.empty());
        // What memory decides is a status; the job is judged by its run without failures.
        if (result.status == Status::budget_exhausted) throw std::bad_alloc();
        return told(result);
      },
      61);
}

TEST_F(Allocations, Extract) {
  const Network truth = problem.truth;
  expect_all_survived(
      [&] {
        const auto oracle = callable_oracle([&](const RowMatrix& x) { return RowMatrix(truth.evaluate(x)); });
        ExtractOptions options;
        options.inputs = 3;
        options.first = 200;
        options.fresh = 50;
        options.budget = 400;
        options.learn = {.units = 2, .threads = 1, .starts = 1};
        const Extraction found = extract(*oracle, options);
        if (found.result.status == Status::budget_exhausted) throw std::bad_alloc();
        return told(found.result);
      },
      211);
}

}  // namespace
}  // namespace relucover
