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

/// For a program of which this library is the only user of OpenBLAS: its own threads, which wait for work by spinning for the first tenth
/// of a second, end.
void end_blas_threads();

}  // namespace relucover
