// libFuzzer: the reader that the environment names (READER=npy); `make fuzz SECONDS=60` builds it and runs all of them.
#include <cstdio>
#include <string_view>

#include "fuzz/parsers.hpp"

namespace {

relucover::fuzz::Parser chosen;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* name = std::getenv("READER");
  for (const relucover::fuzz::NamedParser& one : relucover::fuzz::parsers)
    if (name != nullptr && std::string_view(one.name) == name) {
      chosen = one.parser;
      return 0;
    }
  std::fputs("READER names the reader: a folder of tests/fuzz/corpus\n", stderr);
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  relucover::fuzz::parse(chosen, data, size);
  return 0;
}
