#pragma once
// The HDF5 library behind one lock: it is not safe to enter from two threads, whatever the files.
#include <hdf5.h>

#include <mutex>
#include <utility>

namespace relucover {

std::recursive_mutex& hdf5_mutex();

/// Holds the lock and keeps the library from printing its error stack.
class Hdf5Session {
 public:
  Hdf5Session();
  ~Hdf5Session();
  Hdf5Session(const Hdf5Session&) = delete;
  Hdf5Session& operator=(const Hdf5Session&) = delete;

 private:
  std::lock_guard<std::recursive_mutex> lock_;
  H5E_auto2_t report_;
  void* report_data_;
};

/// An identifier and the function that closes it.
class Hdf5Handle {
 public:
  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Handle();
  hid_t get() const { return id_; }
  bool valid() const { return id_ >= 0; }
  /// False where the library could not finish what it closes.
  bool close() { return close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

}  // namespace relucover
