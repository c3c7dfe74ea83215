// libFuzzer: the first byte chooses the parser, the rest is the file.
//   cmake --preset fuzz && cmake --build build-fuzz --target parsers_fuzz && build-fuzz/tests/parsers_fuzz
//   -max_total_time=60
#include "fuzz/parsers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace relucover::fuzz;
  if (size == 0) return 0;
  parse(parsers[data[0] % std::size(parsers)], data + 1, size - 1);
  return 0;
}
