#include "learners/catalogue.hpp"

#include <gtest/gtest.h>

#include <set>

#include "relucover/learn.hpp"

namespace relucover {
namespace {

TEST(Catalogue, HasEveryMethodOnceWithWhatItAssumes) {
  std::multiset<std::string> listed;
  for (const PaperMethods& paper : catalogue())
    for (const CataloguedMethod& method : paper.methods) {
      EXPECT_FALSE(method.assumes.empty()) << method.name;
      if (paper.task.empty()) listed.insert(method.name);
    }
  std::multiset<std::string> known;
  for (const MethodInfo& info : methods()) known.insert(info.name);
  EXPECT_EQ(listed, known);
}

}  // namespace
}  // namespace relucover
