#include "relucover/paper_instances.hpp"

#include <fmt/format.h>

#include <map>

#include "core/option_text.hpp"
#include "samples/hard_instances.hpp"

namespace relucover::cli {

namespace {

/// NAME,KEY=VALUE,...: every value is a number.
struct Words {
  std::string name;
  std::map<std::string, double> values;

  explicit Words(const std::string& text) : name(text.substr(0, text.find(','))) {
    for (std::size_t at = name.size(); at < text.size();) {
      const std::size_t end = std::min(text.find(',', at + 1), text.size());
      const std::string pair = text.substr(at + 1, end - at - 1);
      const auto equals = pair.find('=');
      double value = 0;
      if (equals == std::string::npos || !is_number(std::string_view(pair).substr(equals + 1), value))
        throw std::invalid_argument(fmt::format("--instance {}: \"{}\" is not KEY=NUMBER", text, pair));
      values[pair.substr(0, equals)] = value;
      at = end;
    }
  }
  double take(const std::string& key, double otherwise) {
    const auto node = values.extract(key);
    return node.empty() ? otherwise : node.mapped();
  }
  void check_empty() const {
    if (!values.empty()) throw std::invalid_argument(fmt::format("--instance {} has no \"{}\"", name, values.begin()->first));
  }
};

/// BJW section 3: a network explains the samples exactly if the formula can be satisfied.
Instance satisfiability(Words words, std::uint64_t seed) {
  const auto variables = static_cast<Index>(words.take("variables", 8)), clauses = static_cast<Index>(words.take("clauses", 12));
  words.check_empty();
  if (variables < 1 || variables > 20 || clauses < 1)
    throw std::invalid_argument("--instance hard:sat needs 1 to 20 variables and a clause or more");
  const SixSat formula = reversible(random_six_sat(variables, clauses, seed));
  const auto assignments = satisfying_assignments(formula);
  Instance result{std::make_unique<MemorySource<double>>(network_instance(formula)), {}, {}};
  if (!assignments.empty()) result.truth = network_of_assignment(formula, assignments.front());
  result.remark = fmt::format(
      "{} variables, {} clauses with their negations, {} assignments satisfy them: {}", variables, formula.clauses.size(),
      assignments.size(), assignments.empty() ? "no network of this kind explains the samples" : "as many networks explain the samples");
  return result;
}

/// BJW Lemma 16: networks 1 and 2 agree wherever |x_1| > 2a |x_2|.
Instance lower_bound_pair(Words words, const PlantedArguments& planted) {
  const double a = words.take("a", 0.01);
  const auto which = static_cast<int>(words.take("which", 1));
  words.check_empty();
  if (which != 1 && which != 2) throw std::invalid_argument("--instance lower-bound-pair: which is 1 or 2");
  const auto [one, other] = indistinguishable_pair(a);
  const Network& truth = which == 1 ? one : other;
  auto samples = synthetic_samples(truth, {.samples = planted.count,
                                           .distribution = InputDistribution::parse("gaussian"),
                                           .noise = planted.noise,
                                           .seed = planted.options.seed});
  BlockBuffer<double> buffer;
  const auto block = samples->read(0, samples->samples(), buffer);
  const Index told = ((one.evaluate(block.x) - other.evaluate(block.x)).cwiseAbs().array() > 1e-12).count();
  return {std::move(samples), truth,
          fmt::format("network {} of the pair with a = {}; {} of {} samples tell the two apart", which, a, told, planted.count)};
}

/// Every sample with its mirror image: what GKLW's reduction does with a model that can be asked.
Instance mirrored(const Words& words, const PlantedArguments& planted) {
  words.check_empty();
  const Network truth = planted.network();
  const auto half = planted.samples(truth);
  return {std::make_unique<MemorySource<double>>(with_mirror_images(*half, [&](const RowMatrix& x) { return truth.evaluate(x); })), truth,
          "every sample and its mirror image"};
}

Instance named_instance(const std::string& text, const PlantedArguments& planted) {
  const Words words(text);
  if (words.name == "hard:sat") return satisfiability(words, planted.options.seed);
  if (words.name != "lower-bound-pair" && words.name != "mirrored")
    throw std::invalid_argument(fmt::format(
        "unknown instance \"{}\"; there are hard:sat[,variables=V,clauses=C], lower-bound-pair[,a=A,which=1|2], mirrored", words.name));
  if (planted.count < 1) throw std::invalid_argument(fmt::format("--instance {} needs --samples", words.name));
  if (words.name == "lower-bound-pair") return lower_bound_pair(words, planted);
  if (planted.options.inputs < 1 || planted.options.units < 1)
    throw std::invalid_argument("--instance mirrored needs --inputs and --units");
  return mirrored(words, planted);
}

}  // namespace

void InstanceArguments::add_to(Command& command) {
  command
      .add_option(
          "--instance", instance,
          "A paper's instance: hard:sat,variables=V,clauses=C (6-SAT as a network of two units), lower-bound-pair,a=A,which=1|2 (two "
          "networks that few samples tell apart), mirrored (every sample with its mirror image)")
      .type_name("NAME");
  command.add_option("--corrupt", corrupt, "Share of label entries replaced by values of another size").within(0.0, 1.0).type_name("SHARE");
  command.add_option("--corrupt-size", corrupt_size, "Size of these values, in root mean squares of the labels")
      .positive()
      .type_name("TIMES")
      .shows_default();
}

Instance InstanceArguments::make(const PlantedArguments& planted) const {
  Instance made;
  if (complete()) {
    made = named_instance(instance, planted);
  } else {
    made.truth = planted.network();
    made.samples = planted.samples(made.truth);
  }
  if (corrupt > 0) {
    made.samples = std::make_unique<MemorySource<double>>(corrupted(*made.samples, corrupt, corrupt_size, planted.options.seed));
    made.remark += fmt::format("{}{:g}% of the label entries replaced", made.remark.empty() ? "" : "; ", 100 * corrupt);
  }
  return made;
}

}  // namespace relucover::cli
