#include <fmt/format.h>

#include "core/check.hpp"
#include "core/zip.hpp"
#include "relucover/errors.hpp"
#include "samples/blockwise.hpp"
#include "samples/files.hpp"

namespace relucover {

namespace {

template <class Scalar>
typename Block<Scalar>::View view_rows(const StoredRows& stored, Index first, Index rows, RowMajor<Scalar>& buffer) {
  using View = typename Block<Scalar>::View;
  const Eigen::OuterStride<> stride(stored.cols());
  if (const Scalar* direct = stored.direct<Scalar>()) return View(direct + first * stored.cols(), rows, stored.cols(), stride);
  buffer.resize(rows, stored.cols());
  stored.copy(first, rows, buffer.data());
  return View(buffer.data(), rows, stored.cols(), stride);
}

/// Whether labels of this type carry float32 rounding. Small integers are exact in any precision: x decides.
bool is_narrow(ElementType x, ElementType y) {
  if (y.kind == 'f') return y.size <= 4;
  const bool exact_in_float32 = y.kind == 'b' || y.size <= 2;
  return exact_in_float32 && x.kind == 'f' && x.size <= 4;
}

class StoredSource : public BlockwiseSource<StoredSource> {
 public:
  StoredSource(StoredRows x, StoredRows y, std::string name) : x_(std::move(x)), y_(std::move(y)), name_(std::move(name)) {}
  Index samples() const override { return x_.rows(); }
  Index inputs() const override { return x_.cols(); }
  Index outputs() const override { return y_.cols(); }
  Precision precision() const override { return is_narrow(x_.type(), y_.type()) ? Precision::float32 : Precision::float64; }
  std::string name() const override { return name_; }
  template <class Scalar>
  Block<Scalar> block(Index first, Index rows, BlockBuffer<Scalar>& buffer) const {
    return {first, view_rows(x_, first, rows, buffer.x), view_rows(y_, first, rows, buffer.y)};
  }

 private:
  StoredRows x_, y_;
  std::string name_;
};

std::string without_npy(const std::string& member) { return member.ends_with(".npy") ? member.substr(0, member.size() - 4) : member; }

}  // namespace

void check_sample_shapes(const std::vector<Index>& x, const Place& x_place, const std::vector<Index>& y, const Place& y_place) {
  const auto fail = [](const Place& place, const std::string& problem, const std::string& remedy) {
    throw DataError(place.file, place.within, problem, remedy);
  };
  if (x.size() == 1)
    fail(x_place, fmt::format("has shape {}, expected samples by inputs", shape_text(x)),
         "for one input use x.reshape(-1, 1), for one sample x.reshape(1, -1)");
  if (x.size() != 2)
    fail(x_place, fmt::format("has shape {}, expected two dimensions: samples by inputs", shape_text(x)),
         "flatten each sample: x.reshape(len(x), -1)");
  if (y.size() != 1 && y.size() != 2)
    fail(y_place, fmt::format("has shape {}, expected samples, or samples by outputs", shape_text(y)),
         "flatten each label: y.reshape(len(y), -1)");
  if (x[0] == 0) fail(x_place, fmt::format("has shape {}: no samples", shape_text(x)), "save at least one row");
  if (x[1] == 0) fail(x_place, fmt::format("has shape {}: no inputs", shape_text(x)), "save at least one column");
  if (y[0] != x[0]) fail(y_place, fmt::format("has {} rows, but x has {}", y[0], x[0]), "x and y need one row per sample each");
  if (y.size() == 2 && y[1] == 0) fail(y_place, fmt::format("has shape {}: no outputs", shape_text(y)), "save at least one column");
}

std::unique_ptr<SampleSource> stored_samples(const NpyArray& x, const Place& x_place, const NpyArray& y, const Place& y_place,
                                             std::string name) {
  check_sample_shapes(x.shape, x_place, y.shape, y_place);
  return std::make_unique<StoredSource>(StoredRows(x, x_place), StoredRows(y, y_place), std::move(name));
}

std::unique_ptr<SampleSource> open_npz(const SharedBytes& content, const std::string& name, const Control& control) {
  const ZipReader archive(content, name);
  for (const std::string wanted : {"x", "y"}) {
    if (archive.contains(wanted + ".npy")) continue;
    std::vector<std::string> there;
    for (const std::string& member : archive.names()) there.push_back(without_npy(member));
    throw DataError(name, "",
                    fmt::format("has no array {}; it has {}", wanted, there.empty() ? "none" : fmt::format("{}", fmt::join(there, ", "))),
                    "name the arrays when saving: np.savez(file, x=inputs, y=labels)");
  }
  const Place x_place{name, "array x"}, y_place{name, "array y"};
  return stored_samples(parse_npy(archive.read("x.npy", control), x_place), x_place, parse_npy(archive.read("y.npy", control), y_place),
                        y_place, name);
}

std::unique_ptr<SampleSource> open_npy_pair(const std::filesystem::path& x, const std::filesystem::path& y, const Control& control) {
  const Place x_place{x.string(), ""}, y_place{y.string(), ""};
  return stored_samples(parse_npy(map_file(x, control), x_place), x_place, parse_npy(map_file(y, control), y_place), y_place,
                        x.string() + " with " + y.string());
}

}  // namespace relucover
