#pragma once
namespace relucover {

/// Keeps OpenBLAS on one thread while alive (threads are ours, over blocks) and restores it after. Nests.
class SingleThreadedBlas {
 public:
  SingleThreadedBlas();
  ~SingleThreadedBlas();
  SingleThreadedBlas(const SingleThreadedBlas&) = delete;
  SingleThreadedBlas& operator=(const SingleThreadedBlas&) = delete;
};

}  // namespace relucover
