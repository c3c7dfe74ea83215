# The library in two parts: the engine, which learns one hidden layer and judges the answer, and all else: the families of methods
# (src/learners/families.hpp), files, oracles, several layers, the papers' studies. `make demo` builds the engine alone; a file of it
# that begins to use one of the others is named by the linker of relucover_demo, and belongs here with it.
set(RELUCOVER_ENGINE_FILES
  "core/(archive|atomic_file|blas|blas_of_empty|checkpoint|communicator|errors|json_text|median|option_text|products|progress|random|version)"
  "core/linear_algebra/[a-z_]+"
  "networks/(activation|assignment|compare|compare_layers|feed_forward|layers|leaky|link|network|squared_errors|unit_function)"
  "samples/(dependent_units|hard_instances|memory|subsample|synthetic|views)"
  "reduce/[a-z_]+"
  "moments/whitening"
  "solve/[a-z_]+"
  "verify/(distinct_rows|extreme_spreads|gate|gate_parts|untested_samples|label_grid|label_outliers|network_error|normal_statistics|sign_differences|statistics|unlinked)"
  "verify/leftover/[a-z_]+"
  "learners/(best_so_far|choose|leaky_fit|learn|linked|plan|registry)"
  "learners/finish/[a-z_]+"
  "learners/prune/[a-z_]+"
  "report/(result|result_json)")
# Of folders that are named whole: what judges several layers.
set(RELUCOVER_NOT_ENGINE_FILES "verify/leftover/(further_unit|judged_layers|layered_refit|layered_tests)")

# engine_of(SOURCES ENGINE REST): divides files of src.
function(engine_of sources engine rest)
  list(JOIN RELUCOVER_ENGINE_FILES "|" pattern)
  set(${engine} ${${sources}})
  set(${rest} ${${sources}})
  list(FILTER ${engine} INCLUDE REGEX "/src/(${pattern})\\.cpp$")
  list(FILTER ${engine} EXCLUDE REGEX "/src/${RELUCOVER_NOT_ENGINE_FILES}\\.cpp$")
  list(REMOVE_ITEM ${rest} ${${engine}})
  return(PROPAGATE ${engine} ${rest})
endfunction()
