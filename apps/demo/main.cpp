// What `relucover demo` does without arguments, in a program of the engine alone: it is built in half of the time.
#include <cstdio>
#include <exception>

#include "learners/families.hpp"
#include "relucover/demo.hpp"

/// The engine learns what the demo plants.
std::vector<relucover::Family> relucover::families() { return {}; }

int main() {
  using namespace relucover::cli;
  try {
    Session session;
    run_demo({}, session);
    session.flush();
    return session.exit_code;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "relucover: %s\n", error.what());
    return exit_code::numerical;
  }
}
