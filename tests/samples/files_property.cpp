#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cstring>

#include "core/npy.hpp"
#include "core/random.hpp"
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"
#include "samples/files.hpp"
#include "support/files.hpp"

namespace relucover {
namespace {

using test::TemporaryFolder;

template <class Stored>
void append(std::string& bytes, double value, bool swapped) {
  const auto stored = static_cast<Stored>(value);
  char raw[sizeof stored];
  std::memcpy(raw, &stored, sizeof stored);
  if (swapped) std::reverse(raw, raw + sizeof raw);
  bytes.append(raw, sizeof raw);
}

struct Type {
  const char* code;
  void (*append)(std::string&, double, bool);
};
const std::vector<Type> types{{"f8", append<double>},       {"f4", append<float>},         {"i1", append<std::int8_t>},
                              {"i2", append<std::int16_t>}, {"i4", append<std::int32_t>},  {"i8", append<std::int64_t>},
                              {"u1", append<std::uint8_t>}, {"u2", append<std::uint16_t>}, {"u4", append<std::uint32_t>},
                              {"u8", append<std::uint64_t>}};

SharedBytes shared(const std::string& text) {
  auto owner = std::make_shared<std::string>(text);
  return {Bytes(reinterpret_cast<const std::byte*>(owner->data()), owner->size()), owner};
}

RC_GTEST_PROP(Npy, EveryTypeAndOrderReadsBack, ()) {
  const auto rows = *rc::gen::inRange<Index>(1, 30), cols = *rc::gen::inRange<Index>(1, 8);
  const auto type = *rc::gen::elementOf(types);
  const bool fortran = *rc::gen::arbitrary<bool>(), big = *rc::gen::arbitrary<bool>();
  RowMatrix values(rows, cols);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) values(i, j) = *rc::gen::inRange(0, 100);
  std::string file = npy_header(fmt::format("{}{}", big ? '>' : '<', type.code), {rows, cols});
  if (fortran) file.replace(file.find("False"), 5, "True ");
  for (Index k = 0; k < rows * cols; ++k) type.append(file, fortran ? values(k % rows, k / rows) : values(k / cols, k % cols), big);
  const StoredRows stored(parse_npy(shared(file), {"memory", ""}), {"memory", ""});
  const auto first = *rc::gen::inRange<Index>(0, rows);
  const auto count = *rc::gen::inRange<Index>(1, rows - first + 1);
  RowMatrix wide(count, cols);
  stored.copy(first, count, wide.data());
  RC_ASSERT(wide == values.middleRows(first, count));
  RowMajor<float> narrow(count, cols);
  stored.copy(first, count, narrow.data());
  RC_ASSERT(narrow == values.middleRows(first, count).cast<float>());
}

RC_GTEST_PROP(Samples, EveryShapeReadsBackFromEveryKindOfFile, ()) {
  const auto rows = *rc::gen::inRange<Index>(1, 200), inputs = *rc::gen::inRange<Index>(1, 12), outputs = *rc::gen::inRange<Index>(1, 4);
  const auto name = *rc::gen::element<std::string>("a.npz", "x.npy", "a.h5", "a.csv");
  RandomStream random(*rc::gen::arbitrary<std::uint32_t>(), purpose::study);
  // Numbers of all magnitudes.
  const RowMatrix x = random.normal_matrix(rows, inputs).unaryExpr([&](double v) { return v * std::pow(10.0, 100 * random.normal()); });
  const RowMatrix y = random.normal_matrix(rows, outputs);
  const TemporaryFolder folder;
  write_samples(MemorySource<double>(x, y), folder / name, Precision::float64, Control(1));
  const auto source = open_samples(folder / name);
  BlockBuffer<double> buffer;
  const auto block = source->read(0, rows, buffer);
  RC_ASSERT(block.x == x);
  RC_ASSERT(block.y == y);
}

RC_GTEST_PROP(Synthetic, SampleIsTheSameWhateverIsRead, ()) {
  const auto kind =
      *rc::gen::element<std::string>("gaussian", "correlated:100", "mixture", "uniform", "laplace", "rademacher", "exponential");
  const auto inputs = *rc::gen::inRange<Index>(1, 40), outputs = *rc::gen::inRange<Index>(1, 4), units = *rc::gen::inRange<Index>(1, 30);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  constexpr Index samples = 1500;
  const Network network = planted_network({.inputs = inputs, .units = units, .outputs = outputs, .seed = seed});
  const auto source =
      synthetic_samples(network, {.samples = samples, .distribution = InputDistribution::parse(kind), .noise = 0.1, .seed = seed});
  BlockBuffer<double> whole_buffer, buffer;
  const auto whole = source->read(0, samples, whole_buffer);
  for (int i = 0; i < 5; ++i) {
    const auto first = *rc::gen::inRange<Index>(0, samples);
    const auto rows = *rc::gen::inRange<Index>(1, samples - first + 1);
    const auto block = source->read(first, rows, buffer);
    RC_ASSERT(block.x == whole.x.middleRows(first, rows));
    RC_ASSERT(block.y == whole.y.middleRows(first, rows));
  }
}

}  // namespace
}  // namespace relucover
