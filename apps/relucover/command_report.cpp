#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "core/words_of_error.hpp"
#include "relucover/commands.hpp"

namespace relucover::cli {

namespace {

/// Where the package lies when it isn't installed: beside the program, in the build folder.
void add_built_package_to_path() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto package = program.parent_path() / "python";
  if (error || !std::filesystem::exists(package / "relucover" / "report.py")) return;
  const char* before = std::getenv("PYTHONPATH");
  const std::string path = package.string() + (before && *before ? std::string(":") + before : "");
  ::setenv("PYTHONPATH", path.c_str(), 1);  // NOLINT(concurrency-mt-unsafe): no other thread runs yet
}

struct ReportRequest {
  std::string result, output = "report.html", network, truth, data;
};

/// The Python that has the package's dependencies: Debian's, unless told otherwise.
std::string python_program() {
  if (const char* told = std::getenv("RELUCOVER_PYTHON")) return told;
  return std::filesystem::exists("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
}

void run_report(const ReportRequest& request, Session& session) {
  add_built_package_to_path();
  std::vector<std::string> words = {python_program(), "-m", "relucover.report", request.result, "-o", request.output};
  const auto pass = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  pass("--network", request.network);
  pass("--truth", request.truth);
  pass("--data", request.data);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  session.flush();
  ::execvp(pointers[0], pointers.data());
  throw DataError(words[0], "", "can't be run: " + words_of_error(errno), "the report needs Python and the relucover package: make python");
}

}  // namespace

void add_report(Program& program, Session& session) {
  Command command = program.add_command("report", "A page about a result, to look at (drawn by Python)");
  auto request = std::make_shared<ReportRequest>();
  command.add_option("RESULT", request->result, "What `relucover learn --json` or `extract --json` printed").required();
  command.add_option("-o,--output", request->output, "Where the page goes").type_name("FILE").shows_default();
  command.add_option("--network", request->network, "The network that was learned, to draw its weights").type_name("FILE");
  command.add_option("--truth", request->truth, "The network that made the data, if it is known").type_name("FILE");
  command.add_option("--data", request->data, "Samples (.npz), to draw residuals").type_name("FILE");
  command.footer(R"(One self-contained page: the status in words, the numbers, pictures, what was assumed and tested.

Example:
  relucover learn data.npz -o net.json --json > result.json
  relucover report result.json --network net.json --truth truth.json -o report.html)");
  command.runs([&session, request] { run_report(*request, session); });
}

}  // namespace relucover::cli
