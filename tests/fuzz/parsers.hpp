#pragma once
// Every reader of untrusted bytes as one function: it may refuse in words (DataError; std::invalid_argument for texts that people
// type), and nothing else.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include "core/checkpoint.hpp"
#include "core/npy.hpp"
#include "core/option_text.hpp"
#include "networks/network_files.hpp"
#include "networks/network_onnx.hpp"
#include "relucover/errors.hpp"
#include "relucover/power_sums.hpp"
#include "relucover/samples.hpp"
#include "relucover/threshold.hpp"
#include "samples/files.hpp"
#include "samples/oracle_wire.hpp"
#include "samples/queried_samples.hpp"

namespace relucover::fuzz {

inline SharedBytes exactly(const std::uint8_t* data, std::size_t size) {
  // A copy of exactly this size, so that reading one byte too far is seen.
  auto owner = std::make_shared<std::unique_ptr<std::byte[]>>(new std::byte[size]);
  std::copy_n(reinterpret_cast<const std::byte*>(data), size, owner->get());
  return {Bytes(owner->get(), size), owner};
}

/// A file in memory (where there is such a folder), for readers that want a path.
class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* data, std::size_t size) {
    const bool in_memory = ::access("/dev/shm", W_OK) == 0;
    path_ = (in_memory ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path()) / "relucover-fuzz-XXXXXX";
    const int descriptor = ::mkstemp(path_.data());
    const bool written = descriptor >= 0 && ::write(descriptor, data, size) == static_cast<ssize_t>(size);
    if (descriptor >= 0) ::close(descriptor);
    if (!written) throw std::logic_error("no file in memory");
  }
  ~MemoryFile() { ::unlink(path_.c_str()); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline void visit(const SampleSource& source) {
  BlockBuffer<double> wide;
  BlockBuffer<float> narrow;
  const Index rows = std::min<Index>(source.samples(), std::clamp<Index>((1 << 20) / (source.inputs() + source.outputs()), 1, 64));
  volatile double sum = 0;
  for (const Index first : {Index{0}, source.samples() - rows}) {
    sum = sum + source.read(first, rows, wide).x.sum() + source.read(first, rows, wide).y.sum();
    sum = sum + static_cast<double>(source.read(first, rows, narrow).x.sum());
  }
}

/// A reply as it comes: in two pieces, cut anywhere.
inline void read_reply(CommandOptions::Protocol protocol, const std::string& reply) {
  constexpr Index queries = 3;
  const auto wire = wire_of(protocol, "fuzz");
  (void)wire->request(RowMatrix::Zero(queries, 2));
  const bool early = wire->complete(reply.substr(0, reply.size() / 2), queries);
  if (early || wire->complete(reply, queries)) (void)wire->answers(reply, queries).sum();
}

enum class Parser {
  npy,
  npz,
  csv,
  hdf5,
  network_json,
  network_npz,
  network_onnx,
  threshold_json,
  moments,
  checkpoint,
  answers,
  oracle_lines,
  oracle_npy,
  setting,
  units,
  unit_function
};
struct NamedParser {
  Parser parser;
  const char* name;
};
inline constexpr NamedParser parsers[] = {
    {Parser::npy, "npy"},
    {Parser::npz, "npz"},
    {Parser::csv, "csv"},
    {Parser::hdf5, "hdf5"},
    {Parser::network_json, "network_json"},
    {Parser::network_npz, "network_npz"},
    {Parser::network_onnx, "network_onnx"},
    {Parser::threshold_json, "threshold_json"},
    {Parser::moments, "moments"},
    {Parser::checkpoint, "checkpoint"},
    {Parser::answers, "answers"},
    {Parser::oracle_lines, "oracle_lines"},
    {Parser::oracle_npy, "oracle_npy"},
    {Parser::setting, "setting"},
    {Parser::units, "units"},
    {Parser::unit_function, "unit_function"},
};

/// What checkpoints in the corpus say they are of.
inline const Checkpoint::Identity checkpoint_identity = {{"version", "1"}, {"work", "fuzz"}};

inline void parse_or_throw(Parser parser, const std::uint8_t* data, std::size_t size) {
  const SharedBytes bytes = exactly(data, size);
  const Place place{"fuzz", ""};
  const auto text = [&] { return std::string(reinterpret_cast<const char*>(data), size); };
  const auto in_memory = [&] { return std::make_unique<MemoryFile>(data, size); };
  switch (parser) {
    case Parser::npy: {
      const NpyArray array = parse_npy(bytes, place);
      return visit(*stored_samples(array, place, array, place, "fuzz"));
    }
    case Parser::npz: return visit(*open_npz(bytes, "fuzz"));
    case Parser::csv: check_csv_start(bytes.bytes, "fuzz"); return visit(*open_csv(bytes.bytes, "fuzz"));
    case Parser::hdf5: return visit(*open_hdf5(in_memory()->path()));
    case Parser::network_json: (void)parse_network_json(bytes.bytes, "fuzz").problems(); return;
    case Parser::network_npz: (void)parse_network_npz(bytes, "fuzz").problems(); return;
    case Parser::network_onnx: {
      const auto file = in_memory();
      const FeedForward model = read_feed_forward_onnx(file->path());
      if (model.inputs < 1000) (void)model.evaluate(RowMatrix::Ones(2, model.inputs)).sum();
      return;
    }
    case Parser::threshold_json: (void)read_threshold_model(in_memory()->path()).problems(); return;
    case Parser::moments: (void)read_power_sums(in_memory()->path()).of_inputs.sum(); return;
    case Parser::checkpoint: Checkpoint("", checkpoint_identity, 1).resume_from(in_memory()->path()); return;
    case Parser::answers: (void)AnswerSpool(in_memory()->path(), QueryLaw(Vector::Ones(2)), 1).read().sum(); return;
    case Parser::oracle_lines: return read_reply(CommandOptions::Protocol::lines, text());
    case Parser::oracle_npy: return read_reply(CommandOptions::Protocol::npy, text());
    case Parser::setting: (void)setting_from_text(text()); return;
    case Parser::units: (void)units_from_text(text()); return;
    case Parser::unit_function: (void)UnitFunction::parse(text()); return;
  }
}

inline bool is_typed(Parser parser) { return parser == Parser::setting || parser == Parser::units || parser == Parser::unit_function; }

/// True if the bytes were accepted.
inline bool parse(Parser parser, const std::uint8_t* data, std::size_t size) {
  try {
    parse_or_throw(parser, data, size);
  } catch (const DataError&) {
    return false;
  } catch (const std::invalid_argument&) {
    if (!is_typed(parser)) throw;
    return false;
  }
  return true;
}

}  // namespace relucover::fuzz
