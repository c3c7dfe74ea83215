#pragma once
// What `relucover learn` was asked. A flag of its own file is a function in the table of command_learn.cpp.
#include <CLI/CLI.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "relucover/data_arguments.hpp"

namespace relucover::cli {

struct LearnRequest {
  DataArguments data;
  LearnOptions options;
  RunOptions run;
  std::string output;
  bool json = false, brief = false;
  /// Set by a flag that answers without samples or with a learner of another kind; empty: learn(source, options).
  std::function<Result(const LearnRequest& request, Session& session)> answer;
};

}  // namespace relucover::cli
