#pragma once
// Every parser of untrusted bytes as one function: it may refuse with DataError, and nothing else.
#include <cstdint>
#include <memory>
#include <string>

#include "core/npy.hpp"
#include "networks/network_files.hpp"
#include "relucover/errors.hpp"
#include "relucover/samples.hpp"
#include "samples/files.hpp"

namespace relucover::fuzz {

inline SharedBytes exactly(const std::uint8_t* data, std::size_t size) {
  // A copy of exactly this size, so that reading one byte too far is seen.
  auto owner = std::make_shared<std::unique_ptr<std::byte[]>>(new std::byte[size]);
  std::copy_n(reinterpret_cast<const std::byte*>(data), size, owner->get());
  return {Bytes(owner->get(), size), owner};
}

inline void visit(const SampleSource& source) {
  BlockBuffer<double> wide;
  BlockBuffer<float> narrow;
  const Index rows = std::min<Index>(source.samples(), 64);
  volatile double sum = 0;
  for (const Index first : {Index{0}, source.samples() - rows}) {
    sum = sum + source.read(first, rows, wide).x.sum() + source.read(first, rows, wide).y.sum();
    sum = sum + static_cast<double>(source.read(first, rows, narrow).x.sum());
  }
}

enum class Parser { npy, npz, csv, network_json, network_npz };
inline constexpr Parser parsers[] = {Parser::npy, Parser::npz, Parser::csv, Parser::network_json, Parser::network_npz};

/// True if the bytes were accepted.
inline bool parse(Parser parser, const std::uint8_t* data, std::size_t size) {
  const SharedBytes bytes = exactly(data, size);
  const Place place{"fuzz", ""};
  try {
    switch (parser) {
      case Parser::npy: {
        const NpyArray array = parse_npy(bytes, place);
        visit(*stored_samples(array, place, array, place, "fuzz"));
        break;
      }
      case Parser::npz: visit(*open_npz(bytes, "fuzz")); break;
      case Parser::csv: visit(*open_csv(bytes.bytes, "fuzz")); break;
      case Parser::network_json: (void)parse_network_json(bytes.bytes, "fuzz").problems(); break;
      case Parser::network_npz: (void)parse_network_npz(bytes, "fuzz").problems(); break;
    }
  } catch (const DataError&) {
    return false;
  }
  return true;
}

}  // namespace relucover::fuzz
