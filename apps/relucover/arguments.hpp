#pragma once
// How commands say which arguments they take. CLI11 stands behind it, in arguments.cpp alone: it costs more to compile than a
// command does.
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "relucover/types.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace relucover::cli {

/// An argument that was added to a command; what else holds for it is said in a chain.
class Argument {
 public:
  explicit Argument(CLI::Option* option) : option_(option) {}

  /// The word for its value in the help.
  Argument& type_name(const std::string& word);
  /// The help shows the default: the value as it is now, or this text.
  Argument& shows_default();
  Argument& shows_default(const std::string& text);
  Argument& required();
  Argument& excludes(const Argument& other);

  // Values that are not like this are refused.
  Argument& within(int least, int most);
  Argument& within(Index least, Index most);
  Argument& within(double least, double most);
  Argument& positive();
  Argument& not_negative();
  Argument& one_of(const std::vector<std::string>& words);

  // For lists.
  Argument& at_least(int values);
  Argument& separated_by(char delimiter);

 private:
  CLI::Option* option_;
};

/// Variables and functions that are handed over must live as long as the command, and are written when it is parsed.
class Command {
 public:
  explicit Command(CLI::App* app) : app_(app) {}

  Argument add_option(const std::string& names, int& value, const std::string& help);
  Argument add_option(const std::string& names, Index& value, const std::string& help);
  Argument add_option(const std::string& names, std::uint64_t& value, const std::string& help);
  Argument add_option(const std::string& names, double& value, const std::string& help);
  Argument add_option(const std::string& names, std::string& value, const std::string& help);
  Argument add_option(const std::string& names, std::vector<std::string>& values, const std::string& help);
  Argument add_option(const std::string& names, std::vector<Index>& values, const std::string& help);
  /// Hands the value to a function.
  Argument add_text(const std::string& names, const std::function<void(const std::string&)>& take, const std::string& help);
  Argument add_number(const std::string& names, std::function<void(Index)> take, const std::string& help);
  /// May be given several times, one value each.
  Argument add_texts(const std::string& names, const std::function<void(const std::vector<std::string>&)>& take, const std::string& help);
  /// One of a few names, each of which stands for a value.
  template <class Choice>
  Argument add_choice(const std::string& names, Choice& value, const std::map<std::string, Choice>& choices, const std::string& help) {
    std::map<std::string, int> numbers;
    for (const auto& [name, choice] : choices) numbers[name] = static_cast<int>(choice);
    return add_numbered(
        names, [&value](int number) { value = static_cast<Choice>(number); }, numbers, help);
  }
  /// "!--name" makes it false.
  Argument add_flag(const std::string& names, bool& value, const std::string& help);

  /// Stands below the arguments in the help.
  void footer(const std::string& text);
  /// What the command does once its arguments are parsed.
  void runs(std::function<void()> job);
  /// To be called by the job: complains as a required argument that was left out does.
  void check_given(const std::string& name) const;

 private:
  Argument add_numbered(const std::string& names, std::function<void(int)> take, const std::map<std::string, int>& choices,
                        const std::string& help);
  CLI::App* app_;
};

class Program {
 public:
  Program(const std::string& name, const std::string& opening, const std::string& closing, const std::string& version);
  ~Program();
  Command add_command(const std::string& name, const std::string& help);

  /// Parses and runs the command. false: it ended with help, or with a complaint about the arguments; `exit_code` says which.
  bool parse_and_run(int argc, char** argv, int& exit_code);

  struct Flag {
    std::vector<std::string> names;  // with dashes
    std::string help;
    bool takes_value;
  };
  struct CommandWords {
    std::string name, help;
    std::vector<Flag> flags;
  };
  /// The first line of help each.
  std::vector<CommandWords> commands() const;

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace relucover::cli
