#pragma once
// How a batch of queries is written to a program, and its answers are read: bytes from somebody who need not be trusted.
#include <memory>
#include <string>

#include "relucover/oracle.hpp"

namespace relucover {

/// Answers may be fewer than queries when the program broke half way. All of it throws DataError for what isn't understood, and for
/// a reply to one batch that is larger than `largest_reply`.
struct Wire {
  static constexpr std::size_t largest_reply = std::size_t{1} << 30;
  virtual ~Wire() = default;
  /// Begins a batch.
  virtual std::string request(const Eigen::Ref<const RowMatrix>& queries) = 0;
  /// Asked again and again while the reply grows.
  virtual bool complete(const std::string& reply, Index queries) = 0;
  virtual RowMatrix answers(const std::string& reply, Index queries) const = 0;
};

std::unique_ptr<Wire> wire_of(CommandOptions::Protocol protocol, const std::string& name);

}  // namespace relucover
