#include "relucover/arguments.hpp"

#include <CLI/CLI.hpp>

namespace relucover::cli {

Argument& Argument::type_name(const std::string& word) {
  option_->type_name(word);
  return *this;
}

Argument& Argument::shows_default() {
  option_->capture_default_str();
  return *this;
}

Argument& Argument::shows_default(const std::string& text) {
  option_->default_str(text);
  return *this;
}

Argument& Argument::required() {
  option_->required();
  return *this;
}

Argument& Argument::excludes(const Argument& other) {
  option_->excludes(other.option_);
  return *this;
}

Argument& Argument::within(int least, int most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

Argument& Argument::within(Index least, Index most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

Argument& Argument::within(double least, double most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

Argument& Argument::positive() {
  option_->check(CLI::PositiveNumber);
  return *this;
}

Argument& Argument::not_negative() {
  option_->check(CLI::NonNegativeNumber);
  return *this;
}

Argument& Argument::one_of(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  return *this;
}

Argument& Argument::at_least(int values) {
  option_->expected(values, -1);
  return *this;
}

Argument& Argument::separated_by(char delimiter) {
  option_->delimiter(delimiter);
  return *this;
}

Argument Command::add_option(const std::string& names, int& value, const std::string& help) {
  return Argument(app_->add_option(names, value, help));
}

Argument Command::add_option(const std::string& names, Index& value, const std::string& help) {
  return Argument(app_->add_option(names, value, help));
}

Argument Command::add_option(const std::string& names, std::uint64_t& value, const std::string& help) {
  return Argument(app_->add_option(names, value, help));
}

Argument Command::add_option(const std::string& names, double& value, const std::string& help) {
  return Argument(app_->add_option(names, value, help));
}

Argument Command::add_option(const std::string& names, std::string& value, const std::string& help) {
  return Argument(app_->add_option(names, value, help));
}

Argument Command::add_option(const std::string& names, std::vector<std::string>& values, const std::string& help) {
  return Argument(app_->add_option(names, values, help));
}

Argument Command::add_option(const std::string& names, std::vector<Index>& values, const std::string& help) {
  return Argument(app_->add_option(names, values, help));
}

Argument Command::add_text(const std::string& names, const std::function<void(const std::string&)>& take, const std::string& help) {
  return Argument(app_->add_option_function<std::string>(names, take, help));
}

Argument Command::add_number(const std::string& names, std::function<void(Index)> take, const std::string& help) {
  return Argument(app_->add_option_function<Index>(
      names, [take = std::move(take)](const Index& number) { take(number); }, help));
}

Argument Command::add_texts(const std::string& names, const std::function<void(const std::vector<std::string>&)>& take,
                            const std::string& help) {
  auto* option = app_->add_option_function<std::vector<std::string>>(names, take, help);
  option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return Argument(option);
}

Argument Command::add_numbered(const std::string& names, std::function<void(int)> take, const std::map<std::string, int>& choices,
                               const std::string& help) {
  auto* option = app_->add_option_function<int>(
      names, [take = std::move(take)](const int& number) { take(number); }, help);
  option->type_name("ENUM")->transform(CLI::CheckedTransformer(choices));
  return Argument(option);
}

Argument Command::add_flag(const std::string& names, bool& value, const std::string& help) {
  return Argument(app_->add_flag(names, value, help));
}

void Command::footer(const std::string& text) { app_->footer(text); }

void Command::runs(std::function<void()> job) { app_->callback(std::move(job)); }

void Command::check_given(const std::string& name) const {
  if (app_->count(name) == 0) throw CLI::RequiredError(name);
}

Program::Program(const std::string& name, const std::string& opening, const std::string& closing, const std::string& version)
    : app_(std::make_unique<CLI::App>(opening, name)) {
  app_->footer(closing);
  app_->require_subcommand(1);
  app_->set_version_flag("--version", version);
}

Program::~Program() = default;

Command Program::add_command(const std::string& name, const std::string& help) { return Command(app_->add_subcommand(name, help)); }

bool Program::parse_and_run(int argc, char** argv, int& exit_code) {
  try {
    app_->parse(argc, argv);
    return true;
  } catch (const CLI::ParseError& error) {
    exit_code = app_->exit(error);  // help goes to standard output, complaints to standard error
    return false;
  }
}

std::vector<Program::CommandWords> Program::commands() const {
  const auto first_line = [](const std::string& text) { return text.substr(0, text.find('\n')); };
  std::vector<CommandWords> commands;
  for (const CLI::App* command : app_->get_subcommands([](const CLI::App*) { return true; })) {
    CommandWords entry{command->get_name(), first_line(command->get_description()), {}};
    for (const CLI::Option* option : command->get_options([](const CLI::Option*) { return true; })) {
      Flag flag{{}, first_line(option->get_description()), option->get_items_expected_max() > 0};
      for (const auto& name : option->get_snames()) flag.names.push_back("-" + name);
      for (const auto& name : option->get_lnames()) flag.names.push_back("--" + name);
      if (!flag.names.empty()) entry.flags.push_back(flag);
    }
    commands.push_back(entry);
  }
  return commands;
}

}  // namespace relucover::cli
