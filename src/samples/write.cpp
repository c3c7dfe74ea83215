#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "core/atomic_file.hpp"
#include "core/zip.hpp"
#include "relucover/errors.hpp"
#include "relucover/progress.hpp"
#include "samples/files.hpp"
#include "samples/hdf5_module.hpp"

namespace relucover {

namespace {

/// Hands every block of the source to the sink, in order: memory does not grow with the number of samples.
template <class Scalar, class Sink>
void stream(const SampleSource& source, const Control& control, const Sink& sink) {
  constexpr Index block_values = 1 << 18;
  const Index rows = std::max<Index>(1, block_values / (source.inputs() + source.outputs()));
  BlockBuffer<Scalar> buffer;
  for (Index first = 0; first < source.samples(); first += rows) {
    control.check();
    sink(source.read(first, std::min(rows, source.samples() - first), buffer));
    control.progress("writing", static_cast<double>(std::min(first + rows, source.samples())) / static_cast<double>(source.samples()));
  }
}

/// Rows one after the other without gaps, copied only where there are gaps.
template <class Scalar, class Use>
void with_packed(const typename Block<Scalar>::View& view, const Use& use) {
  const auto bytes = static_cast<std::size_t>(view.size()) * sizeof(Scalar);
  if (view.outerStride() == view.cols() || view.rows() == 1) return use(view.data(), bytes);
  const RowMajor<Scalar> packed = view;
  use(packed.data(), bytes);
}

template <class Scalar>
std::string header_of(const SampleSource& source, Index cols) {
  return npy_header(sizeof(Scalar) == sizeof(float) ? "<f4" : "<f8", {source.samples(), cols});
}

template <class Scalar>
void write_samples_npz(const SampleSource& source, const std::filesystem::path& path, const Control& control) {
  const std::array headers{header_of<Scalar>(source, source.inputs()), header_of<Scalar>(source, source.outputs())};
  const auto size = [&](std::size_t array, Index cols) {
    return headers[array].size() + static_cast<std::uint64_t>(source.samples()) * static_cast<std::uint64_t>(cols) * sizeof(Scalar);
  };
  ZipWriter archive(path, {{"x.npy", size(0, source.inputs())}, {"y.npy", size(1, source.outputs())}});
  for (const std::size_t array : {0u, 1u}) archive.append(array, headers[array].data(), headers[array].size());
  stream<Scalar>(source, control, [&](const Block<Scalar>& block) {
    with_packed<Scalar>(block.x, [&](const void* bytes, std::size_t count) { archive.append(0, bytes, count); });
    with_packed<Scalar>(block.y, [&](const void* bytes, std::size_t count) { archive.append(1, bytes, count); });
  });
  archive.commit();
}

template <class Scalar>
void write_npy_pair(const SampleSource& source, const std::filesystem::path& path, const Control& control) {
  AtomicFile x(path), y(labels_beside(path));
  x.write(header_of<Scalar>(source, source.inputs()));
  y.write(header_of<Scalar>(source, source.outputs()));
  stream<Scalar>(source, control, [&](const Block<Scalar>& block) {
    with_packed<Scalar>(block.x, [&](const void* bytes, std::size_t count) { x.write(bytes, count); });
    with_packed<Scalar>(block.y, [&](const void* bytes, std::size_t count) { y.write(bytes, count); });
  });
  x.commit();
  y.commit();
}

template <class Scalar>
class CsvLines {
 public:
  void number(Scalar value) {
    std::array<char, 32> digits;  // the shortest text that reads back as the same number
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    text_.append(digits.data(), end);
  }
  void block(const Block<Scalar>& block) {
    text_.clear();
    for (Index i = 0; i < block.rows(); ++i) {
      for (Index j = 0; j < block.x.cols(); ++j, text_ += ',') number(block.x(i, j));
      for (Index j = 0; j < block.y.cols(); ++j, text_ += j < block.y.cols() ? ',' : '\n') number(block.y(i, j));
    }
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

template <class Scalar>
void write_csv(const SampleSource& source, const std::filesystem::path& path, const Control& control) {
  AtomicFile file(path);
  std::string header;
  for (Index j = 0; j < source.inputs(); ++j) header += fmt::format("x{},", j);
  for (Index j = 0; j < source.outputs(); ++j) header += fmt::format("y{}{}", j, j + 1 < source.outputs() ? "," : "\n");
  file.write(header);
  CsvLines<Scalar> lines;
  stream<Scalar>(source, control, [&](const Block<Scalar>& block) {
    lines.block(block);
    file.write(lines.text());
  });
  file.commit();
}

template <class Scalar>
void write_hdf5(const SampleSource& source, const std::filesystem::path& path, const Control& control) {
  const Hdf5Module& hdf5 = hdf5_module(path);
  AtomicFile target(path);
  constexpr Precision precision = sizeof(Scalar) == sizeof(float) ? Precision::float32 : Precision::float64;
  auto file = hdf5.create(target.temporary(), path, source.samples(), source.inputs(), source.outputs(), precision);
  stream<Scalar>(source, control, [&](const Block<Scalar>& block) {
    with_packed<Scalar>(block.x, [&](const void* bytes, std::size_t) { file->append(0, bytes, block.rows()); });
    with_packed<Scalar>(block.y, [&](const void* bytes, std::size_t) { file->append(1, bytes, block.rows()); });
  });
  file->close();
  file.reset();
  target.commit();
}

template <class Scalar>
void write_as(const SampleSource& source, const std::filesystem::path& path, const Control& control) {
  const std::string extension = extension_of(path);
  if (extension == ".npz") return write_samples_npz<Scalar>(source, path, control);
  if (extension == ".npy") return write_npy_pair<Scalar>(source, path, control);
  if (extension == ".csv") return write_csv<Scalar>(source, path, control);
  if (extension == ".h5" || extension == ".hdf5") return write_hdf5<Scalar>(source, path, control);
  throw DataError(path.string(), "", "samples can't be written with this extension",
                  "use .npz, .h5, .hdf5, .csv or a pair ending in x.npy and y.npy");
}

}  // namespace

void write_samples(const SampleSource& source, const std::filesystem::path& path, Precision precision, const Control& control) {
  precision == Precision::float32 ? write_as<float>(source, path, control) : write_as<double>(source, path, control);
}

}  // namespace relucover
