#pragma once
// TBB hands work from thread to thread inside a library that no sanitizer has seen: the thread sanitizer takes what one task writes and a
// later one reads for a race. A Handover that lives as long as a task, and HandoversAround all of them, tell it that what does not overlap
// comes one after the other; what does overlap it watches as ever.

#ifdef __SANITIZE_THREAD__
extern "C" {
void __tsan_acquire(void* place);  // NOLINT(bugprone-reserved-identifier)
void __tsan_release(void* place);  // NOLINT(bugprone-reserved-identifier)
}
#endif

namespace relucover {

class Handover {
 public:
#ifdef __SANITIZE_THREAD__
  Handover() { __tsan_acquire(&place); }
  ~Handover() { __tsan_release(&place); }
#else
  Handover() {}  // not trivial: one that nobody uses is no mistake
  ~Handover() {}
#endif
  Handover(const Handover&) = delete;
  Handover& operator=(const Handover&) = delete;

 private:
#ifdef __SANITIZE_THREAD__
  static inline char place = 0;
#endif
};

/// Before and after all tasks, also where one throws.
class HandoversAround {
 public:
  HandoversAround() { const Handover begin; }
  ~HandoversAround() { const Handover end; }
  HandoversAround(const HandoversAround&) = delete;
  HandoversAround& operator=(const HandoversAround&) = delete;
};

}  // namespace relucover
