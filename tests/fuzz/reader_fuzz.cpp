// libFuzzer, one executable for each reader: `make fuzz SECONDS=60` builds and runs all of them.
#include <string_view>

#include "fuzz/parsers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace relucover::fuzz;
  for (const NamedParser& one : parsers)
    if (std::string_view(one.name) == READER) parse(one.parser, data, size);
  return 0;
}
