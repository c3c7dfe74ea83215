#pragma once
// Every command there is. A new one is a file command_NAME.cpp, a line here and a row in main.cpp.
#include <CLI/CLI.hpp>

#include "relucover/session.hpp"

namespace relucover::cli {

void add_demo(CLI::App& app, Session& session);
void add_sample(CLI::App& app, Session& session);
void add_sample_threshold(CLI::App& app, Session& session);
void add_learn(CLI::App& app, Session& session);
void add_signs(CLI::App& app, Session& session);
void add_compare(CLI::App& app, Session& session);
void add_evaluate(CLI::App& app, Session& session);
void add_diagnose(CLI::App& app, Session& session);
void add_moments(CLI::App& app, Session& session);
void add_merge(CLI::App& app, Session& session);
void add_reproduce(CLI::App& app, Session& session);
void add_methods(CLI::App& app, Session& session);
void add_extract(CLI::App& app, Session& session);
void add_report(CLI::App& app, Session& session);
void add_completion(CLI::App& app, Session& session);

}  // namespace relucover::cli
