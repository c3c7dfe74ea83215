#include "bindings.hpp"

#include "relucover/errors.hpp"

PYBIND11_MODULE(_core, module) {
  module.doc() = "The compiled part of relucover.";
  module.attr("__version__") = RELUCOVER_VERSION;
  pybind11::register_exception<relucover::DataError>(module, "DataError", PyExc_ValueError);
  relucover::python::bind_networks(module);
  relucover::python::bind_learning(module);
  relucover::python::bind_diagnosis(module);
  relucover::python::bind_first_layer(module);
  relucover::python::bind_papers(module);
}
