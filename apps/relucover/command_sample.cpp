#include <fmt/format.h>

#include <memory>

#include "relucover/commands.hpp"
#include "relucover/data_arguments.hpp"
#include "relucover/paper_instances.hpp"
#include "relucover/planted_arguments.hpp"

namespace relucover::cli {

namespace {

struct SampleRequest {
  PlantedArguments planted;
  InstanceArguments instance;
  RunOptions run;
  Precision precision = Precision::float64;
  std::string output, truth;
};

void make_samples(const SampleRequest& request, Session& session) {
  if (!request.instance.complete() && request.planted.layers.empty() && request.planted.options.units < 1)
    throw std::invalid_argument("sample needs --units K, or --layers K1,K2,... for a deep network");
  check_outputs({{request.output, {".npz", ".npy", ".h5", ".hdf5", ".csv"}}, {request.truth, {".json", ".npz", ".onnx"}}});
  const auto [source, truth, remark] = request.instance.make(request.planted);
  write_samples(*source, request.output, request.precision, session.control(request.run));
  const bool told = !request.truth.empty() && truth.inputs() > 0;
  if (told) write_network(truth, request.truth);
  session.say(fmt::format("wrote {}: {} samples, {} inputs, {} outputs{}{}", request.output, source->samples(), source->inputs(),
                          source->outputs(), told ? "; the network is in " + request.truth : "", remark.empty() ? "" : "; " + remark));
}

}  // namespace

void add_sample(Program& program, Session& session) {
  Command command = program.add_command("sample", "Make planted data: draw a network, and samples of its inputs and outputs");
  auto request = std::make_shared<SampleRequest>();
  request->planted.add_to(command);
  request->instance.add_to(command);
  command.add_option("-o,--output", request->output, "Where the samples go: .npz, .h5, .csv, or x.npy (y.npy beside it)")
      .type_name("FILE")
      .required();
  command.add_option("--truth", request->truth, "Where the network goes: .json, .npz or .onnx").type_name("FILE");
  add_precision_option(command, request->precision);
  add_run_options(command, request->run);
  command.footer(R"(y = A relu(W x + b): weight vectors of length 1, b = S N(0,1), output weights ±U(0.5, 1.5), all from the seed.
With --layers: rows of W are N(0,1)/sqrt(fan-in) * 1.4, biases 0.3 N(0,1), output weights and offset N(0,1).
Sample i is the same whatever the number of samples or threads.

Example:
  relucover sample --inputs 20 --units 10 --samples 100000 --seed 1 -o data.npz --truth truth.json
  relucover sample --inputs 10 --layers 8,5 --samples 20000 --seed 1 -o deep.npz --truth deep.json
  relucover sample --inputs 10 --units 5 --samples 5000 --distribution correlated:100 --noise 0.1 -o noisy.csv
  relucover sample --inputs 10 --units 5 --outputs 20 --bias 0 --samples 2000 --corrupt 0.15 -o corrupted.npz
  relucover sample --inputs 10 --units 5 --outputs 8 --bias 0 --samples 20000 --activation relu2 -o squares.npz
  relucover sample --instance hard:sat,variables=8,clauses=12 -o sat.npz --truth sat.json)");
  command.runs([&session, request, command] {
    if (!request->instance.complete())
      for (const char* needed : {"--inputs", "--samples"}) command.check_given(needed);
    make_samples(*request, session);
  });
}

}  // namespace relucover::cli
