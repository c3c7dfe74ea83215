#include <memory>

#include "networks/network_onnx.hpp"
#include "relucover/oracle.hpp"

namespace relucover {

namespace {

class CallableOracle : public BlackBox {
 public:
  CallableOracle(std::function<RowMatrix(const RowMatrix&)> function, std::string name)
      : function_(std::move(function)), name_(std::move(name)) {}
  std::string name() const override { return name_; }
  RowMatrix ask(const Eigen::Ref<const RowMatrix>& queries, const Control&) override { return function_(queries); }

 private:
  std::function<RowMatrix(const RowMatrix&)> function_;
  std::string name_;
};

/// A model whose insides are known is asked before its link, where no digit is lost.
class ModelOracle : public BlackBox {
 public:
  ModelOracle(FeedForward model, std::string name) : model_(std::move(model)), name_(std::move(name)) {}
  std::string name() const override { return name_; }
  RowMatrix ask(const Eigen::Ref<const RowMatrix>& queries, const Control&) override { return model_.evaluate(queries); }
  Link link_behind() const override { return model_.link; }

 private:
  FeedForward model_;
  std::string name_;
};

}  // namespace

std::unique_ptr<BlackBox> callable_oracle(std::function<RowMatrix(const RowMatrix&)> function, std::string name) {
  return std::make_unique<CallableOracle>(std::move(function), std::move(name));
}

std::unique_ptr<BlackBox> onnx_oracle(const std::filesystem::path& path, Index& inputs) {
  FeedForward model = read_feed_forward_onnx(path);
  inputs = model.inputs;
  return std::make_unique<ModelOracle>(std::move(model), path.string());
}

}  // namespace relucover
