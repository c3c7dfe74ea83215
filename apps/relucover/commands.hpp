#pragma once
// Every command there is. A new one is a file command_NAME.cpp, a line here and a row in main.cpp.
#include "relucover/arguments.hpp"
#include "relucover/session.hpp"

namespace relucover::cli {

void add_demo(Program& program, Session& session);
void add_sample(Program& program, Session& session);
void add_sample_threshold(Program& program, Session& session);
void add_learn(Program& program, Session& session);
void add_signs(Program& program, Session& session);
void add_compare(Program& program, Session& session);
void add_evaluate(Program& program, Session& session);
void add_diagnose(Program& program, Session& session);
void add_moments(Program& program, Session& session);
void add_merge(Program& program, Session& session);
void add_reproduce(Program& program, Session& session);
void add_methods(Program& program, Session& session);
void add_extract(Program& program, Session& session);
void add_report(Program& program, Session& session);
void add_completion(Program& program, Session& session);

}  // namespace relucover::cli
