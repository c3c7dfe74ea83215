#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "learners/catalogue.hpp"
#include "relucover/commands.hpp"

namespace relucover::cli {

namespace {

const MethodInfo* info_of(const std::vector<MethodInfo>& all, const std::string& name) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const MethodInfo& info) { return info.name == name; });
  return at == all.end() ? nullptr : &*at;
}

void print_json(Session& session) {
  JsonText list = JsonText::list();
  const auto all = methods();
  for (const PaperMethods& paper : catalogue())
    for (const CataloguedMethod& method : paper.methods) {
      const MethodInfo* info = info_of(all, method.name);
      if (!info) continue;  // of a task
      JsonText settings = JsonText::object();
      for (const auto& [name, meaning] : info->settings) settings.add(name, meaning);
      list.push(JsonText::object({{"name", method.name},
                                  {"summary", info->summary},
                                  {"settings", settings},
                                  {"paper", paper.tag},
                                  {"item", method.item},
                                  {"assumes", method.assumes}}));
    }
  session.print_json(list);
}

void print_text(Session& session) {
  const auto all = methods();
  std::size_t width = 0;
  for (const PaperMethods& paper : catalogue())
    for (const CataloguedMethod& method : paper.methods) width = std::max(width, method.name.size());
  for (const PaperMethods& paper : catalogue()) {
    session.print(fmt::format("{}{}{}{}\n", paper.tag, paper.tag.empty() ? "" : ": ", paper.title,
                              paper.task.empty() ? "" : fmt::format(" (learn --task {})", paper.task)));
    for (const CataloguedMethod& method : paper.methods) {
      session.print(
          fmt::format("  {:<{}}  {}{}assumes {}\n", method.name, width, method.item, method.item.empty() ? "" : "; ", method.assumes));
      const MethodInfo* info = info_of(all, method.name);
      if (!info) continue;
      for (const auto& [name, meaning] : info->settings)
        session.print(fmt::format("  {:<{}}    --set {}=VALUE  {}\n", "", width, name, meaning));
    }
    session.print("\n");
  }
}

}  // namespace

void add_methods(Program& program, Session& session) {
  Command command = program.add_command("methods", "List the methods of learn by paper, what each assumes, and their settings");
  auto json = std::make_shared<bool>(false);
  command.add_flag("--json", *json, "Print an array for machines");
  command.footer("Example:\n  relucover methods\n  relucover learn data.npz --method prune --set NAME=VALUE");
  command.runs([&session, json] { *json ? print_json(session) : print_text(session); });
}

}  // namespace relucover::cli
