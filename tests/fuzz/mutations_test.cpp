// The corpus of the fuzzers (tests/fuzz/corpus, a folder for each reader) in every build: read as it is, and damaged in thousands of
// reproducible ways. Files called good-* must be accepted, all others may be refused.
#include <gtest/gtest.h>

#include <set>

#include "core/random.hpp"
#include "fuzz/parsers.hpp"
#include "support/files.hpp"

namespace relucover::fuzz {

/// The name of a test: addresses would be others in every build.
void PrintTo(const NamedParser& reader, std::ostream* to) { *to << reader.name; }

namespace {

using test::content_of;

std::set<std::filesystem::path> corpus_of(const char* reader) {
  const std::filesystem::directory_iterator files(std::filesystem::path(CORPUS) / reader);
  return {begin(files), end(files)};
}

/// One to four edits: a byte changed, bytes removed, doubled, or replaced by a number that likes to overflow.
std::string damaged(std::string text, RandomStream& random) {
  const auto place = [&] { return static_cast<std::size_t>(random.below(static_cast<Index>(text.size()))); };
  for (Index edits = 1 + random.below(4); edits > 0 && !text.empty(); --edits) switch (random.below(6)) {
      case 0: text[place()] = static_cast<char>(random.bits()); break;
      case 1: text[place()] ^= static_cast<char>(1 << random.below(8)); break;
      case 2: text.erase(place(), static_cast<std::size_t>(1 + random.below(8))); break;
      case 3: {
        const std::string piece = text.substr(place(), static_cast<std::size_t>(1 + random.below(16)));
        text.insert(place(), piece);
        break;
      }
      case 4: text.resize(place()); break;
      case 5: {
        static const std::string numbers[] = {"4294967295",           "9223372036854775807", "-1", "1e999", "\xff\xff\xff\xff",
                                              std::string(8, '\xff'), std::string(8, '\0')};
        const std::string& number = numbers[random.below(std::ssize(numbers))];
        text.replace(place(), number.size(), number);
        break;
      }
    }
  return text;
}

const std::uint8_t* data_of(const std::string& text) { return reinterpret_cast<const std::uint8_t*>(text.data()); }

class Readers : public ::testing::TestWithParam<NamedParser> {};

TEST_P(Readers, ReadTheCorpus) {
  int good = 0;
  for (const auto& file : corpus_of(GetParam().name)) {
    const std::string content = content_of(file);
    const bool accepted = parse(GetParam().parser, data_of(content), content.size());
    if (!file.filename().string().starts_with("good-")) continue;
    EXPECT_TRUE(accepted) << file;
    ++good;
  }
  EXPECT_GT(good, 0) << "no file is read";
}

TEST_P(Readers, SurviveDamage) {
  Index refused = 0, tried = 0;
  RandomStream random(1, purpose::study, static_cast<std::uint64_t>(GetParam().parser));
  const int times = std::string_view(GetParam().name) == "hdf5" ? 250 : 1000;  // a process for each (make fuzz tries more)
  for (const auto& file : corpus_of(GetParam().name)) {
    const std::string seed = content_of(file);
    for (int i = 0; i < times; ++i, ++tried) {
      const std::string text = damaged(seed, random);
      refused += !parse(GetParam().parser, data_of(text), text.size());
    }
  }
  EXPECT_GT(refused, tried / 20) << "believes anything";
}

INSTANTIATE_TEST_SUITE_P(All, Readers, ::testing::ValuesIn(parsers), [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace relucover::fuzz
