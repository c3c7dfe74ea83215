"""Computes an ONNX file node by node with numpy, in the precision of the file, and answers `--oracle-command "... compute.py FILE" --protocol npy`."""
import importlib.util
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper


def read(file):
    graph = onnx.load(file).graph
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    kind = np.float32 if graph.input[0].type.tensor_type.elem_type == onnx.TensorProto.FLOAT else np.float64

    def softmax(a, axis):
        shifted = np.exp(a - a.max(axis=axis, keepdims=True))
        return shifted / shifted.sum(axis=axis, keepdims=True)

    def log_softmax(a, axis):
        shifted = a - a.max(axis=axis, keepdims=True)
        return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))

    def answer(x):
        values = {**constants, graph.input[0].name: np.asarray(x, kind)}
        for node in graph.node:
            given = {attribute.name: onnx.helper.get_attribute_value(attribute) for attribute in node.attribute}
            operator = {
                "Gemm": lambda a, b, c: kind(given.get("alpha", 1)) * (a @ (b.T if given.get("transB") else b)) + kind(given.get("beta", 1)) * c,
                "Relu": lambda a: np.maximum(a, 0), "Sub": lambda a, b: a - b, "Div": lambda a, b: a / b, "Sigmoid": lambda a: 1 / (1 + np.exp(-a)),
                "LeakyRelu": lambda a: np.where(a > 0, a, kind(given["alpha"]) * a), "PRelu": lambda a, slope: np.where(a > 0, a, slope * a),
                "BatchNormalization": lambda a, scale, shift, mean, variance: scale * (a - mean) / np.sqrt(variance + kind(given["epsilon"])) + shift,
                "Softmax": lambda a: softmax(a, given.get("axis", -1)), "LogSoftmax": lambda a: log_softmax(a, given.get("axis", -1)),
            }[node.op_type]
            values[node.output[0]] = operator(*[values[name] for name in node.input])
        return values[graph.output[0].name]

    return answer


if __name__ == "__main__":
    # the package's other side of the pipe, from its source: the program is what is tested, not where Python finds modules
    spec = importlib.util.spec_from_file_location("serve", Path(__file__).resolve().parents[2] / "python" / "relucover" / "serve.py")
    serving = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(serving)
    serving.serve(read(sys.argv[1]), protocol="npy")
