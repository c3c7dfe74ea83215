#include "learners/families.hpp"

#include "learners/deep/deep.hpp"
#include "learners/hermite/hermite.hpp"
#include "learners/vector/learners.hpp"

namespace relucover {

std::vector<Family> families() {
  return {
      {deep_learners()},
      {hermite_learners()},
      {vector_learners(), choose_by_moments},
  };
}

}  // namespace relucover
