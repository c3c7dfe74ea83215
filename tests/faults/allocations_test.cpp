// Allocations fail in turn, in learn, extract, compare, diagnose, and readers and writers of every format: what is documented comes out,
// nothing leaks, nothing is half-written, and the next call works.
// The allocator of this executable is ours: glibc's, counted, and told when to fail.
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <new>

#include "core/checkpoint.hpp"
#include "relucover/errors.hpp"
#include "relucover/oracle.hpp"
#include "relucover/power_sums.hpp"
#include "relucover/relucover.hpp"
#include "relucover/threshold.hpp"
#include "samples/queried_samples.hpp"
#include "support/files.hpp"
#include "support/planted.hpp"
#include "verify/input_diagnostics.hpp"

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

/// What a job may do besides answering.
struct Manners {
  long every = 1;                       // of a long job only each so many-th allocation fails
  bool may_keep = false;                // libraries of others that keep memory for later, or lose it
  std::function<void()> after = [] {};  // looks at what a failure left behind
};

/// Runs `job` with its first allocation failing, then its second, and so on; each alone, then with all that follow. A job says what it
/// found as text; std::bad_alloc and DataError are answers too, everything else is not.
Survival fail_in_turn(const std::function<std::string()>& job, const Manners& manners) {
  Survival survival;
  const std::string expected = job();  // makes what is made once: tables, arenas, buffers of libraries
  EXPECT_EQ(job(), expected);
  made = 0;
  counting = true;
  job();
  counting = false;
  survival.allocations = made;
  for (const bool going_on : {false, true})
    for (long at = 1; at <= survival.allocations; at += manners.every) {
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
      EXPECT_TRUE(manners.may_keep || live <= before)
          << live - before << " allocations kept after number " << at << " failed, of " << survival.allocations;
      manners.after();
      EXPECT_EQ(job(), expected) << "after allocation " << at << " had failed";
      if (::testing::Test::HasFailure()) return survival;
    }
  return survival;
}

class Allocations : public ::testing::Test {
 protected:
  void SetUp() override {
#ifdef ALLOCATOR_IS_TAKEN
    GTEST_SKIP() << "the sanitizer has an allocator of its own";
#endif
  }
  void expect_all_survived(const std::string& name, const std::function<std::string()>& job, const Manners& manners = {}) {
    SCOPED_TRACE(name);
    const Survival survival = fail_in_turn(job, manners);
    EXPECT_GT(survival.failures, 0);
    std::printf("%s: %ld allocations, %ld failures survived\n", name.c_str(), survival.allocations, survival.failures);
  }

  /// Reads what `write` wrote under this name, and writes it again and again: the file is as it was, or not there.
  void expect_files_survive(const std::string& name, const std::function<void(const std::filesystem::path&)>& write,
                            const std::function<std::string(const std::filesystem::path&)>& read) {
    const bool of_others = name.ends_with(".onnx");  // protobuf loses what it could not put into a list
    const auto path = folder / name;
    write(path);
    expect_all_survived("read " + name, [&] { return read(path); }, {.may_keep = of_others});
    const auto again = folder / ("again-" + name);
    const std::string whole = read(path);
    expect_all_survived("write " + name,
                        [&] {
                          write(again);
                          return std::string("written");
                        },
                        {.may_keep = of_others, .after = [&] {
                           for (const auto& left : std::filesystem::directory_iterator(folder.path()))
                             EXPECT_EQ(left.path().filename().string().find(".part-"), std::string::npos)
                                 << left.path() << " was left behind";
                           EXPECT_TRUE(!std::filesystem::exists(again) || read(again) == whole);
                           std::filesystem::remove(again);
                         }});
  }

  test::TemporaryFolder folder;
  test::Planted problem = test::planted({.inputs = 3, .units = 2, .seed = 1}, {.samples = 200});
};

std::string told(const Result& result) { return result.usable() ? "usable" : "not usable"; }

TEST_F(Allocations, Learn) {
  expect_all_survived("learn",
                      [&] {
                        const Result result = learn(problem.samples, {.units = 2, .threads = 1, .starts = 1});
                        EXPECT_FALSE(result.message.empty());
                        // What memory decides is a status; the job is judged by its run without failures.
                        if (result.status == Status::budget_exhausted) throw std::bad_alloc();
                        return told(result);
                      },
                      {.every = 3});
}

TEST_F(Allocations, Extract) {
  const Network truth = problem.truth;
  expect_all_survived("extract",
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
                      {.every = 7});
}

TEST_F(Allocations, ResultsAsJson) {
  const Result result = learn(problem.samples, {.units = 2, .threads = 1, .starts = 1});
  ASSERT_TRUE(result.usable()) << result.message;
  ASSERT_FALSE(result.stages.empty());
  expect_all_survived("result as JSON", [&] { return result.json(); });
  FirstLayerResult first;
  first.model.W = Matrix::Identity(2, 3);
  first.model.t = Vector::Zero(2);
  first.notes = {"a note"};
  first.figures = {{"condition", 12.5}};
  first.stages = result.stages;
  expect_all_survived("first layer as JSON", [&] { return first.json(); });
}

std::string sum_of(const SampleSource& source) {
  BlockBuffer<double> buffer;
  const Block<double> all = source.read(0, source.samples(), buffer);
  return std::to_string(all.x.sum() + all.y.sum());
}

TEST_F(Allocations, Samples) {
  const test::Planted few = test::planted({.inputs = 3, .units = 2, .seed = 1}, {.samples = 20});
  // Not .h5: the HDF5 library itself reads a null pointer then (H5AC_create of 1.10.8).
  for (const char* name : {"samples.npz", "samples.csv", "samples_x.npy"})
    expect_files_survive(
        name, [&](const auto& path) { write_samples(few.samples, path, Precision::float64, Control(1)); },
        [](const auto& path) { return sum_of(*open_samples(path)); });
}

TEST_F(Allocations, Networks) {
  for (const char* name : {"network.json", "network.npz", "network.onnx"})
    expect_files_survive(
        name, [&](const auto& path) { write_network(problem.truth, path); },
        [](const auto& path) { return std::to_string(read_network(path).W.sum()); });
}

TEST_F(Allocations, ThresholdModels) {
  ThresholdModel model;
  model.W = Matrix::Identity(2, 3);
  model.t = Vector::Zero(2);
  model.upper.monomials = {{.factors = {{0, 1}}, .coefficient = 1}, {.factors = {{0, 1}, {1, 2}}, .coefficient = -2}};
  ASSERT_TRUE(model.problems().empty()) << model.problems().front();
  for (const char* name : {"model.json", "model.onnx"})
    expect_files_survive(
        name, [&](const auto& path) { write_threshold_model(model, path); },
        [](const auto& path) { return std::to_string(read_threshold_model(path).W.sum()); });
}

TEST_F(Allocations, PowerSums) {
  const PowerSums sums = power_sums(problem.samples, 2, Control(1));
  expect_files_survive(
      "sums.moments", [&](const auto& path) { write_power_sums(sums, path); },
      [](const auto& path) { return std::to_string(read_power_sums(path).of_inputs.sum()); });
  expect_all_survived("moments", [&] { return std::to_string(power_sums(problem.samples, 2, Control(1)).of_inputs.sum()); });
}

TEST_F(Allocations, Checkpoints) {
  const Checkpoint::Identity work = {{"version", "1"}, {"work", "test"}};
  expect_files_survive(
      "work.state",
      [&](const auto& path) {
        Checkpoint checkpoint(path, work, 1e9);
        checkpoint.leave(checkpoint.next_place(), std::string(100, 'a'));
        checkpoint.write();
      },
      [&](const auto& path) {
        Checkpoint checkpoint("", work, 1e9);
        checkpoint.resume_from(path);
        return *checkpoint.at(0);
      });
}

TEST_F(Allocations, AnswersOfOracles) {
  const QueryLaw law(Vector::Ones(3));
  AnswerSpool(folder / "answers.spool", law, 1).append(RowMatrix::Ones(5, 2));
  expect_all_survived("read answers.spool", [&] { return std::to_string(AnswerSpool(folder / "answers.spool", law, 1).read().sum()); });
}

TEST_F(Allocations, CompareAndDiagnose) {
  Network other = problem.truth;
  other.b[0] += 0.1;
  expect_all_survived("compare", [&] { return std::to_string(compare(problem.truth, other).max_bias_error); });
  expect_all_survived("diagnose", [&] { return std::to_string(diagnose(problem.samples, {}, Control(1)).noise_at_most); });
}

}  // namespace
}  // namespace relucover
