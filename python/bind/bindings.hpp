#pragma once
#include <pybind11/pybind11.h>

namespace relucover::python {

namespace py = pybind11;

void bind_networks(py::module_& module);
void bind_learning(py::module_& module);
void bind_diagnosis(py::module_& module);
void bind_first_layer(py::module_& module);
void bind_papers(py::module_& module);

}  // namespace relucover::python
