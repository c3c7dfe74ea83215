#include <fmt/format.h>

#include <memory>

#include "relucover/commands.hpp"

namespace relucover::cli {

namespace {

void list_methods(Session& session, bool json) {
  if (json) {
    auto list = nlohmann::ordered_json::array();
    for (const auto& method : methods()) {
      auto settings = nlohmann::ordered_json::object();
      for (const auto& [name, meaning] : method.settings) settings[name] = meaning;
      list.push_back({{"name", method.name}, {"summary", method.summary}, {"settings", settings}});
    }
    return session.print_json(list);
  }
  std::size_t width = 0;
  for (const auto& method : methods()) width = std::max(width, method.name.size());
  for (const auto& method : methods()) {
    session.print(fmt::format("{:<{}}  {}\n", method.name, width, method.summary));
    for (const auto& [name, meaning] : method.settings)
      session.print(fmt::format("{:<{}}    --set {}=VALUE  {}\n", "", width, name, meaning));
  }
}

}  // namespace

void add_methods(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("methods", "List the methods of learn and their settings");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print an array for machines");
  command->footer("Example:\n  relucover methods\n  relucover learn data.npz --method prune --set NAME=VALUE");
  command->callback([&session, json] { list_methods(session, *json); });
}

}  // namespace relucover::cli
