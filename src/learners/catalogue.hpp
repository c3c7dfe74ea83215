#pragma once
// Methods by the paper that they are from, each with what it assumes in one line.
#include <string>
#include <vector>

namespace relucover {

struct CataloguedMethod {
  std::string name;
  std::string item;     // in the paper
  std::string assumes;  // one line
};
struct PaperMethods {
  std::string tag, title;
  std::string task;  // of `learn --task`; empty: methods of `learn --method`
  std::vector<CataloguedMethod> methods;
};
/// Every method of methods() once, and those of the tasks.
const std::vector<PaperMethods>& catalogue();

}  // namespace relucover
