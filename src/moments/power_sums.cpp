#include "relucover/power_sums.hpp"

#include <fmt/format.h>

#include "core/check.hpp"
#include "core/npz.hpp"
#include "moments/polynomials.hpp"
#include "moments/split_tuples.hpp"
#include "relucover/errors.hpp"

namespace relucover {

namespace {

constexpr const char* moments_format = "relucover-moments";
constexpr Index moments_version = 1;
constexpr double most_numbers = 1e8, most_numbers_for_control = 2e7;

struct Sums {
  using Scalar = double;
  const SplitTuples* input_tuples;
  const SplitTuples* label_tuples;
  Index half;
  Index samples = 0;
  Matrix inputs;
  std::vector<Matrix> labels;
  Matrix label_products;

  Sums(const SplitTuples& of_inputs, const SplitTuples& of_labels, Index outputs)
      : input_tuples(&of_inputs), label_tuples(&of_labels), half(std::max(of_inputs.half(), of_labels.half())),
        inputs(of_inputs.empty_product()), labels(static_cast<std::size_t>(outputs), of_labels.empty_product()),
        label_products(Matrix::Zero(outputs, outputs)) {}

  void add(const Block<double>& block) {
    const Index step = rows_at_once(3 * feature_count(block.x.cols() + 1, half));
    Matrix extended, weighted;
    for (Index first = 0; first < block.rows(); first += step) {
      const Index rows = std::min(step, block.rows() - first);
      extended.resize(rows, block.x.cols() + 1);
      extended.col(0).setOnes();
      extended.rightCols(block.x.cols()) = block.x.middleRows(first, rows);
      const auto monomials = monomial_features(extended, half);
      input_tuples->add(monomials, Vector::Ones(rows), weighted, inputs);
      for (Index j = 0; j < block.y.cols(); ++j)
        label_tuples->add(monomials, block.y.col(j).segment(first, rows), weighted, labels[static_cast<std::size_t>(j)]);
    }
    label_products.noalias() += block.y.transpose() * block.y;
    samples += block.rows();
  }
  void fields(auto& visit) { visit(samples, inputs, labels, label_products); }
};

}  // namespace

PowerSums power_sums(const SampleSource& source, Index order, const Control& control) {
  check_range("order of the moments", order, 2, 7);
  PowerSums sums;
  sums.samples = source.samples();
  sums.inputs = source.inputs();
  sums.outputs = source.outputs();
  sums.order = order;
  const Index dimension = source.inputs() + 1;
  const auto numbers = [&](Index of_order) { return binomial(dimension + of_order - 1, of_order); };
  if (numbers(order) * static_cast<double>(source.outputs() + 1) > most_numbers)
    throw std::invalid_argument(fmt::format("moments of order {} of {} inputs and {} outputs are {:.1e} numbers: ask for a lower order",
                                            order, source.inputs(), source.outputs(),
                                            numbers(order) * static_cast<double>(source.outputs() + 1)));
  sums.input_order = numbers(order + 1) <= most_numbers_for_control ? order + 1 : order;
  const SplitTuples of_inputs(dimension, sums.input_order), of_labels(dimension, order);
  const Sums total = reduce(source, Sums(of_inputs, of_labels, source.outputs()), control);
  sums.of_inputs = of_inputs.tensor(total.inputs).values;
  sums.of_labels.resize(packed_size(dimension, order), source.outputs());
  for (Index j = 0; j < source.outputs(); ++j) sums.of_labels.col(j) = of_labels.tensor(total.labels[static_cast<std::size_t>(j)]).values;
  sums.label_products = total.label_products;
  return sums;
}

void add_power_sums(PowerSums& total, const PowerSums& part) {
  check_equal("inputs of the moments", part.inputs, total.inputs);
  check_equal("outputs of the moments", part.outputs, total.outputs);
  check_equal("order of the moments", part.order, total.order);
  check_equal("order of the moments of inputs", part.input_order, total.input_order);
  total.samples += part.samples;
  total.of_inputs += part.of_inputs;
  total.of_labels += part.of_labels;
  total.label_products += part.label_products;
}

void write_power_sums(const PowerSums& sums, const std::filesystem::path& path) {
  write_npz(path, {{"format", text_array(moments_format)},
                   {"version", integer_array(moments_version)},
                   {"samples", integer_array(sums.samples)},
                   {"inputs", integer_array(sums.inputs)},
                   {"order", integer_array(sums.order)},
                   {"input_order", integer_array(sums.input_order)},
                   {"of_inputs", vector_array(sums.of_inputs)},
                   {"of_labels", matrix_array(sums.of_labels)},
                   {"label_products", matrix_array(sums.label_products)}});
}

PowerSums read_power_sums(const std::filesystem::path& path) {
  const NpzReader reader(map_file(path), path.string(), "make it with `relucover moments`");
  reader.expect_format(moments_format, moments_version);
  PowerSums sums;
  const auto count = [&](const char* key, double least, double most) {
    const double value = reader.number(key);
    if (!(value >= least && value <= most)) reader.fail(key, fmt::format("is {}, expected {} to {}", value, least, most));
    return static_cast<Index>(value);
  };
  sums.samples = count("samples", 1, 1e18);
  sums.inputs = count("inputs", 1, 1e6);
  sums.order = count("order", 2, 6);
  sums.input_order = count("input_order", static_cast<double>(sums.order), static_cast<double>(sums.order) + 1);
  if (binomial(sums.inputs + sums.input_order, sums.input_order) > most_numbers)
    reader.fail("inputs", "claims more numbers than there can be");
  sums.of_inputs = reader.vector("of_inputs", packed_size(sums.inputs + 1, sums.input_order));
  sums.of_labels = reader.matrix("of_labels", packed_size(sums.inputs + 1, sums.order), -1);
  sums.outputs = sums.of_labels.cols();
  if (sums.outputs == 0) reader.fail("of_labels", "has no columns: there is at least one output");
  sums.label_products = reader.matrix("label_products", sums.outputs, sums.outputs);
  if (!sums.of_inputs.allFinite() || !sums.of_labels.allFinite() || !sums.label_products.allFinite())
    reader.fail("of_inputs, of_labels", "holds values that are not finite");
  if (sums.of_inputs[0] != static_cast<double>(sums.samples))
    reader.fail("of_inputs", fmt::format("counts {} samples, the array samples {}", sums.of_inputs[0], sums.samples));
  return sums;
}

}  // namespace relucover
