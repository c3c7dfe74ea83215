// Shell completion, generated from the tree of commands so that it can't lag behind.
#include <fmt/format.h>

#include <memory>

#include "relucover/commands.hpp"

namespace relucover::cli {

namespace {

using Commands = std::vector<Program::CommandWords>;

std::string names_of(const Commands& commands) {
  std::string names;
  for (const auto& command : commands) names += (names.empty() ? "" : " ") + command.name;
  return names;
}

/// For text between single quotes of a shell.
std::string shell_quoted(const std::string& text) {
  std::string safe;
  for (const char c : text) safe += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return "'" + safe + "'";
}

std::string bash_script(const Commands& commands) {
  std::string cases;
  for (const auto& command : commands) {
    std::string flags;
    for (const auto& flag : command.flags)
      for (const auto& name : flag.names) flags += (flags.empty() ? "" : " ") + name;
    cases += fmt::format("    {}) flags={} ;;\n", command.name, shell_quoted(flags));
  }
  return fmt::format(R"(# relucover completion for bash: source <(relucover completion bash)
_relucover() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} flags=
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W {} -- "$current")
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}  esac
  case $current in
    -*) mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$current") ;;
    *) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
  esac
}}
complete -o filenames -F _relucover relucover
)",
                     shell_quoted(names_of(commands)), cases);
}

std::string zsh_script(const Commands& commands) {
  const auto escaped = [](const std::string& text) {
    std::string safe;
    for (const char c : text) safe += (c == '[' || c == ']' || c == ':') ? std::string("\\") + c : std::string(1, c);
    return safe;
  };
  std::string list, cases;
  for (const auto& command : commands) {
    list += fmt::format("    {}\n", shell_quoted(command.name + ":" + escaped(command.help)));
    cases += fmt::format("    {}) _arguments", command.name);
    for (const auto& flag : command.flags)
      for (const auto& name : flag.names)
        cases += " \\\n        " + shell_quoted(fmt::format("{}[{}]{}", name, escaped(flag.help), flag.takes_value ? ":value:_files" : ""));
    cases += " \\\n        '*:file:_files' ;;\n";
  }
  return fmt::format(R"(#compdef relucover
# relucover completion for zsh: source <(relucover completion zsh)
_relucover() {{
  local -a commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  shift words; (( CURRENT-- ))
  case $words[1] in
{}  esac
}}
compdef _relucover relucover
)",
                     list, cases);
}

std::string fish_script(const Commands& commands) {
  std::string script = "# relucover completion for fish: relucover completion fish | source\n";
  for (const auto& command : commands) {
    script += fmt::format("complete -c relucover -n __fish_use_subcommand -f -a {} -d {}\n", command.name, shell_quoted(command.help));
    for (const auto& flag : command.flags) {
      script += fmt::format("complete -c relucover -n '__fish_seen_subcommand_from {}'", command.name);
      for (const auto& name : flag.names) script += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      script += fmt::format("{} -d {}\n", flag.takes_value ? " -r" : "", shell_quoted(flag.help));
    }
  }
  return script;
}

}  // namespace

void add_completion(Program& program, Session& session) {
  Command command = program.add_command("completion", "Print a completion script for a shell");
  auto shell = std::make_shared<std::string>();
  command.add_option("SHELL", *shell, "bash, zsh or fish").required().one_of({"bash", "zsh", "fish"});
  command.footer("Example:\n  source <(relucover completion bash)");
  command.runs([&program, &session, shell] {
    const auto commands = program.commands();
    session.print(*shell == "bash" ? bash_script(commands) : *shell == "zsh" ? zsh_script(commands) : fish_script(commands));
  });
}

}  // namespace relucover::cli
