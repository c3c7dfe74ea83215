#pragma once
// The kinds of sample files, each opened from bytes or a path. open.cpp chooses by extension.
#include <memory>

#include "core/npy.hpp"
#include "relucover/samples.hpp"

namespace relucover {

/// Inputs and labels as they lie in files; blocks are views into them where type and order allow.
std::unique_ptr<SampleSource> stored_samples(const NpyArray& x, const Place& x_place, const NpyArray& y, const Place& y_place,
                                             std::string name);
std::unique_ptr<SampleSource> open_npz(const SharedBytes& content, const std::string& name, const Control& control = {});
std::unique_ptr<SampleSource> open_npy_pair(const std::filesystem::path& x, const std::filesystem::path& y, const Control& control);
std::unique_ptr<SampleSource> open_csv(Bytes content, const std::string& name, const Control& control = {});
/// Inputs alone, whether or not there are labels beside them.
RowMatrix csv_inputs(Bytes content, const std::string& name);
/// Throws DataError if text with this beginning can't be such a file, before the rest of it has come.
void check_csv_start(Bytes start, const std::string& name);
std::unique_ptr<SampleSource> open_hdf5(const std::filesystem::path& path);

/// As the public ones; a pipe is copied as long as `control` lets it (else Interrupted is thrown).
std::unique_ptr<SampleSource> open_samples(const std::filesystem::path& path, const Control& control);
std::unique_ptr<SampleSource> open_samples(const std::filesystem::path& x, const std::filesystem::path& y, const Control& control);

/// Throws DataError unless x is n by d and y is n or n by l, none of them 0.
void check_sample_shapes(const std::vector<Index>& x, const Place& x_place, const std::vector<Index>& y, const Place& y_place);

/// y.npy beside x.npy, data_y.npy beside data_x.npy. Throws DataError if the name does not end in x.npy.
std::filesystem::path labels_beside(const std::filesystem::path& x);

/// The extension in lower case.
std::string extension_of(const std::filesystem::path& path);

}  // namespace relucover
