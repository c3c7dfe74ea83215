// A smoke run of the fuzzed parsers in every build: good files, damaged in thousands of reproducible ways.
#include <gtest/gtest.h>
#include <zip.h>

#include "core/random.hpp"
#include "fuzz/parsers.hpp"
#include "relucover/progress.hpp"
#include "support/files.hpp"

namespace relucover::fuzz {
namespace {

using test::content_of;
using test::TemporaryFolder;

/// A compressed copy of an archive, as np.savez_compressed writes it.
std::string compressed(const std::string& archive, const TemporaryFolder& folder) {
  const auto path = folder.write("compressed.npz", archive);
  zip_t* zip = zip_open(path.c_str(), 0, nullptr);
  const zip_int64_t count = zip_get_num_entries(zip, 0);
  for (zip_int64_t i = 0; i < count; ++i)
    zip_set_file_compression(zip, static_cast<zip_uint64_t>(i), ZIP_CM_DEFLATE, 9);
  zip_close(zip);
  return content_of(path);
}

std::vector<std::string> seeds(Parser parser) {
  const TemporaryFolder folder;
  const Network network = planted_network({.inputs = 3, .units = 2, .outputs = 2, .seed = 1});
  const auto samples = synthetic_samples(network, {.samples = 5});
  const Control control(1);
  switch (parser) {
    case Parser::npy:
      write_samples(*samples, folder / "x.npy", Precision::float32, control);
      return {content_of(folder / "x.npy"), content_of(folder / "y.npy")};
    case Parser::npz:
      write_samples(*samples, folder / "a.npz", Precision::float64, control);
      return {content_of(folder / "a.npz"), compressed(content_of(folder / "a.npz"), folder)};
    case Parser::csv:
      write_samples(*samples, folder / "a.csv", Precision::float64, control);
      return {content_of(folder / "a.csv")};
    case Parser::network_json: return {network_json(network)};
    case Parser::network_npz:
      write_network(network, folder / "n.npz");
      return {content_of(folder / "n.npz"), compressed(content_of(folder / "n.npz"), folder)};
  }
  return {};
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
        static const std::string numbers[] = {
            "4294967295",           "9223372036854775807", "-1", "1e999", "\xff\xff\xff\xff",
            std::string(8, '\xff'), std::string(8, '\0')};
        const std::string& number = numbers[random.below(std::ssize(numbers))];
        text.replace(place(), number.size(), number);
        break;
      }
    }
  return text;
}

const std::uint8_t* data_of(const std::string& text) { return reinterpret_cast<const std::uint8_t*>(text.data()); }

TEST(Parsers, AcceptGoodFilesAndSurviveDamagedOnes) {
  for (const Parser parser : parsers) {
    Index refused = 0;
    RandomStream random(1, purpose::study, static_cast<std::uint64_t>(parser));
    for (const std::string& seed : seeds(parser)) {
      EXPECT_TRUE(parse(parser, data_of(seed), seed.size())) << "parser " << static_cast<int>(parser);
      for (int i = 0; i < 3000; ++i) {
        const std::string text = damaged(seed, random);
        refused += !parse(parser, data_of(text), text.size());
      }
    }
    EXPECT_GT(refused, 500) << "parser " << static_cast<int>(parser) << " believes anything";
  }
}

}  // namespace
}  // namespace relucover::fuzz
