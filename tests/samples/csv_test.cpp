#include <gtest/gtest.h>

#include "relucover/samples.hpp"
#include "support/files.hpp"

namespace relucover {
namespace {

using test::contains;
using test::data_error;
using test::TemporaryFolder;

std::unique_ptr<SampleSource> open_text(const std::string& text) {
  const TemporaryFolder folder;
  return open_samples(folder.write("data.csv", text));
}

void expect_read(const std::string& text) {
  const auto source = open_text(text);
  BlockBuffer<double> buffer;
  const auto block = source->read(0, source->samples(), buffer);
  ASSERT_EQ(source->samples(), 2) << text;
  EXPECT_EQ(Matrix(block.x), (Matrix(2, 2) << 1.5, -2, 3, 4e-3).finished()) << text;
  EXPECT_EQ(Matrix(block.y), (Matrix(2, 1) << 7, 8).finished()) << text;
}

TEST(Csv, ReadsTheUsualVariants) {
  expect_read("a,y,b\n1.5,7,-2\n3,8,4e-3\n");
  expect_read("a,y,b\r\n1.5,7,-2\r\n3,8,4e-3\r\n");
  expect_read("a,y,b\n1.5,7,-2\n3,8,4e-3");
  expect_read("\xef\xbb\xbf\"a\",\"y1\",\"b\"\n 1.5 , \"7\" ,-2\n+3,8,4e-3\n\n\n");
  expect_read("a;label2y;Y\n1.5;-2;7\n3;.004;8\n");
  expect_read("a\tb\tyes\n1.5\t-2\t7\n3\t0.004\t8\n");
}

TEST(Csv, PointsAtLineAndColumnOfWhatIsWrong) {
  const auto refused = [](const std::string& text, const std::string& part) {
    const std::string message = data_error([&] { open_text(text); });
    EXPECT_TRUE(contains(message, part));
    EXPECT_TRUE(contains(message, " (")) << "a remedy is missing";
  };
  refused("", "data.csv:1: is empty");
  refused("\n\n", "data.csv:1: is empty");
  refused("x,y\n", "no samples");
  refused("x,y\n1,2\n3\n", "data.csv:3: has 1 fields, but the header has 2");
  refused("x,y\n1,2\n3,4,5\n", "data.csv:3: has 3 fields");
  refused("x,y\n1,2\n\n3,4\n", "data.csv:3: is an empty line");
  refused("x,y\n1,2\n3,four\n", "data.csv:3:2: \"four\" is not a number");
  refused("x,y\n1,2\n3,4abc\n", "data.csv:3:2: \"4abc\" is not a number");
  refused("x,y\n1,2\n,4\n", "data.csv:3:1: is empty");
  refused("x,y\n1,1e999\n", "data.csv:2:2: \"1e999\" is not a number that fits");
  refused("x,y\n0x10,1\n", "data.csv:2:1");
  refused("1,2\n3,4\n", "data.csv:1: has numbers where the header should be");
  refused("a,b\n3,4\n", "no column starts with y");
  refused("y1,y2\n3,4\n", "no inputs");
  refused(",a,y\n0,3,4\n", "data.csv:1:1: a column has no name");
  refused(std::string("x,y\n1,\0\n", 8), "data.csv:2:2");
}

TEST(Csv, RefusesManyLinesOfManyColumnsWithoutMakingRoomForThem) {
  std::string text = "y";
  for (int i = 0; i < 1000000; ++i) text += ",x";
  text += std::string(1000000, '\n') + "1";  // 10^12 values, if the header were believed
  EXPECT_TRUE(contains(data_error([&] { open_text(text); }), "data.csv:2: is an empty line"));
}

TEST(Csv, KeepsTinyNumbers) {
  const auto source = open_text("x,y\n4.9406564584124654e-324,1e-999\n");
  BlockBuffer<double> buffer;
  const auto block = source->read(0, 1, buffer);
  EXPECT_EQ(block.x(0, 0), 5e-324);
  EXPECT_EQ(block.y(0, 0), 0);
}

}  // namespace
}  // namespace relucover
