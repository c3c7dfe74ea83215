#pragma once
// What may be said about an answer, and who may say it.
#include <string>

namespace relucover {

/// From certain to hopeless. `exact` and `recovered` are only given with a certificate (docs/certificates.md).
enum class Status { exact, recovered, approximate, assumption_failed, budget_exhausted, numerical_failure };
std::string name_of(Status status);

/// The status of an answer. Anybody can write one that claims nothing; `exact` and `recovered` come from the gate alone
/// (src/verify/gate.hpp), which has looked at the data: writing them elsewhere does not compile.
class AnswerStatus {
 public:
  AnswerStatus() = default;
  consteval AnswerStatus(Status claims_nothing) : value_(claims_nothing) {
    if (claims_nothing == Status::exact || claims_nothing == Status::recovered)
      throw "only the gate (src/verify/gate.hpp) makes a certified status";
  }
  operator Status() const { return value_; }
  bool certified() const { return value_ == Status::exact || value_ == Status::recovered; }
  /// There is an answer, certified or not.
  bool usable() const { return certified() || value_ == Status::approximate; }

 private:
  friend class Gate;
  Status value_ = Status::numerical_failure;
};

}  // namespace relucover
