#pragma once
// Values as bytes and back, on one kind of machine: for checkpoints and for exchange between ranks, not for keeping.
// A type of its own lists what it consists of:  void fields(auto& visit) { visit(a, b, c); }
#include <Eigen/Core>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace relucover {

struct AnyVisit {
  template <class... Fields>
  void operator()(Fields&...) {}
};
template <class T>
concept DenseMatrix = std::is_base_of_v<Eigen::PlainObjectBase<T>, T>;
template <class T>
concept Archivable = requires(T& value, AnyVisit visit) {
  value.fields(visit);
};

class Packer {
 public:
  template <class... Values>
  void operator()(const Values&... values) {
    (one(values), ...);
  }
  std::string take();

 private:
  void raw(const void* data, std::size_t size);
  template <class T>
  void one(const T& value) {
    if constexpr (Archivable<T>) {
      const_cast<T&>(value).fields(*this);  // fields only visits
    } else {
      static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
      raw(&value, sizeof(T));
    }
  }
  template <class T>
  void one(const std::vector<T>& values) {
    one(values.size());
    for (const T& value : values) one(value);
  }
  void one(const std::string& text) {
    one(text.size());
    raw(text.data(), text.size());
  }
  template <DenseMatrix M>
  void one(const M& matrix) {
    one(matrix.rows());
    one(matrix.cols());
    raw(matrix.data(), static_cast<std::size_t>(matrix.size()) * sizeof(typename M::Scalar));
  }
  std::string bytes_;
};

/// Throws std::runtime_error if the bytes end too early.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : left_(bytes) {}
  template <class... Values>
  void operator()(Values&... values) {
    (one(values), ...);
  }
  bool done() const { return left_.empty(); }

 private:
  void raw(void* data, std::size_t size);
  template <class T>
  void one(T& value) {
    if constexpr (Archivable<T>) {
      value.fields(*this);
    } else {
      static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
      raw(&value, sizeof(T));
    }
  }
  std::size_t count(std::size_t size_of_each) {
    std::size_t size = 0;
    one(size);
    if (size > left_.size() / size_of_each) throw std::runtime_error("ends too early");
    return size;
  }
  template <class T>
  void one(std::vector<T>& values) {
    values.resize(count(1));
    for (T& value : values) one(value);
  }
  void one(std::string& text) {
    text.resize(count(1));
    raw(text.data(), text.size());
  }
  template <DenseMatrix M>
  void one(M& matrix) {
    Eigen::Index rows = 0, cols = 0;
    one(rows);
    one(cols);
    const auto most = static_cast<Eigen::Index>(left_.size() / sizeof(typename M::Scalar));
    if (rows < 0 || cols < 0 || (cols > 0 && rows > most / cols)) throw std::runtime_error("ends too early");
    matrix.resize(rows, cols);
    raw(matrix.data(), static_cast<std::size_t>(matrix.size()) * sizeof(typename M::Scalar));
  }
  std::string_view left_;
};

template <class... Values>
std::string pack(const Values&... values) {
  Packer packer;
  packer(values...);
  return packer.take();
}

template <class... Values>
void unpack(std::string_view bytes, Values&... values) {
  Unpacker unpacker(bytes);
  unpacker(values...);
  if (!unpacker.done()) throw std::runtime_error("has more in it than expected");
}

}  // namespace relucover
