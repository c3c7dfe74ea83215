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

}  // namespace

std::unique_ptr<BlackBox> callable_oracle(std::function<RowMatrix(const RowMatrix&)> function, std::string name) {
  return std::make_unique<CallableOracle>(std::move(function), std::move(name));
}

std::unique_ptr<BlackBox> onnx_oracle(const std::filesystem::path& path, Index& inputs) {
  FeedForward model = read_feed_forward_onnx(path);
  inputs = model.inputs;
  return callable_oracle([model = std::move(model)](const RowMatrix& x) { return model.evaluate(x); }, path.string());
}

}  // namespace relucover
