// An observer sees how far the work is and can stop it; what comes back is a status, not an exception.
#include <chrono>
#include <iostream>
#include <relucover/relucover.hpp>

namespace {

using namespace relucover;

class Impatient : public Observer {
 public:
  void progress(std::string_view stage, double, std::string_view) override {
    if (stage != last_) std::cout << "stage: " << stage << "\n";
    last_ = stage;
  }
  bool cancelled() const override { return Clock::now() - began_ > std::chrono::milliseconds(300); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point began_ = Clock::now();
  std::string last_;
};

}  // namespace

int main() {
  // Large enough to take much longer than the observer's patience.
  const auto source = synthetic_samples(planted_network({.inputs = 60, .units = 60}), {.samples = 40000});
  Impatient observer;
  const Result result = learn(*source, {.units = 60, .observer = &observer});
  std::cout << result.brief() << "\n";
  return result.status == Status::budget_exhausted ? 0 : 1;
}
