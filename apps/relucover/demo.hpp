#pragma once
// The demo by itself, which is built without the other commands (apps/demo).
#include "relucover/planted_arguments.hpp"
#include "relucover/session.hpp"

namespace relucover::cli {

struct DemoRequest {
  PlantedArguments planted = {.options = {.inputs = 6, .units = 4, .seed = 1}, .count = 10000};
  RunOptions run;
  bool json = false;
};

/// Plants a network, learns it from samples, prints truth beside answer.
void run_demo(const DemoRequest& request, Session& session);

}  // namespace relucover::cli
