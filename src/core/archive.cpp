#include "core/archive.hpp"

namespace relucover {

std::string Packer::take() { return std::move(bytes_); }

void Packer::raw(const void* data, std::size_t size) { bytes_.append(static_cast<const char*>(data), size); }

void Unpacker::raw(void* data, std::size_t size) {
  if (size > left_.size()) throw std::runtime_error("ends too early");
  if (size > 0) std::memcpy(data, left_.data(), size);
  left_.remove_prefix(size);
}

}  // namespace relucover
