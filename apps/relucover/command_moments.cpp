// `moments` of a shard, `merge` of such parts: for people whose engine is a job array. `learn` takes the result.
#include <fmt/format.h>

#include "relucover/commands.hpp"
#include "relucover/data_arguments.hpp"

namespace relucover::cli {

namespace {

struct MomentsRequest {
  DataArguments data;
  Index order = 4;
  std::string output;
  RunOptions run;
};

struct MergeRequest {
  std::vector<std::string> parts;
  std::string output;
};

void run_moments(const MomentsRequest& request, Session& session) {
  check_outputs({{request.output, {".moments"}}}, request.data.paths());
  const Control control = session.control(request.run);
  const auto source = request.data.open(control);
  write_power_sums(power_sums(*source, request.order, control), request.output);
  session.say(fmt::format("wrote {}: moments of {} samples to order {}, {} inputs, {} outputs", request.output, source->samples(),
                          request.order, source->inputs(), source->outputs()));
}

void run_merge(const MergeRequest& request, Session& session) {
  check_outputs({{request.output, {".moments"}}}, {request.parts.begin(), request.parts.end()});
  check_different(request.parts);
  PowerSums total = read_power_sums(request.parts.front());
  for (std::size_t i = 1; i < request.parts.size(); ++i) {
    try {
      add_power_sums(total, read_power_sums(request.parts[i]));
    } catch (const std::invalid_argument& error) {
      throw DataError(request.parts[i], "", fmt::format("does not go with {}: {}", request.parts.front(), error.what()),
                      "merge moments of one order of shards of one data set");
    }
  }
  write_power_sums(total, request.output);
  session.say(fmt::format("wrote {}: {} parts, {} samples", request.output, request.parts.size(), total.samples));
}

}  // namespace

void add_moments(Program& program, Session& session) {
  Command command = program.add_command("moments", "Moments of a part of the data, to be merged with those of other parts");
  auto request = std::make_shared<MomentsRequest>();
  request->data.add_to(command);
  command
      .add_option("--order", request->order,
                  "Highest order: 4 for as many units as inputs, 6 for more, 2 for the subspace of the weights only")
      .within(Index{2}, Index{6})
      .type_name("K")
      .shows_default();
  command.add_option("-o,--output", request->output, "Where they go: .moments (an .npz archive inside)").required().type_name("FILE");
  add_run_options(command, request->run);
  command.footer(std::string(data_formats) + R"(

The sums of parts are the sums of the whole: each machine of a cluster makes those of its shard, one adds them up.
Moments find Gaussian-input networks to sampling error; with a few samples `learn` goes on from there to exact weights.

Example:
  relucover moments shard1.npz -o part1.moments
  relucover moments shard2.npz -o part2.moments
  relucover merge part*.moments -o all.moments
  relucover learn all.moments --units 10 -o rough.json
  relucover learn shard1.npz --moments all.moments --units 10 -o net.json)");
  command.runs([&session, request] { run_moments(*request, session); });
}

void add_merge(Program& program, Session& session) {
  Command command = program.add_command("merge", "Add up the moments of parts of the data");
  auto request = std::make_shared<MergeRequest>();
  command.add_option("PARTS", request->parts, "Files that `relucover moments` wrote").required().at_least(1);
  command.add_option("-o,--output", request->output, "Where the sum goes: .moments").required().type_name("FILE");
  command.footer(R"(The same bytes come out whenever the same parts go in, in the same order.

Example:
  relucover merge part*.moments -o all.moments)");
  command.runs([&session, request] { run_merge(*request, session); });
}

}  // namespace relucover::cli
