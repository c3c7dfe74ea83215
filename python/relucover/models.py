"""Models as people have them, made into something that can be asked."""
import os

import numpy as np


def rows_like(like):
    """(rows, name) of an array, a DataFrame, or a file with samples (its inputs) or rows (.npy)."""
    if isinstance(like, (str, os.PathLike)):
        path = os.fspath(like)
        if path.endswith(".npz"):
            with np.load(path) as arrays:
                return _rows(arrays["x"], path), path
        if path.endswith(".npy"):
            return _rows(np.load(path), path), path
        if path.endswith(".csv"):
            with open(path) as file:
                names = [name.strip().strip('"') for name in file.readline().split(",")]
            table = np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)
            return _rows(table[:, [not name.startswith("y") for name in names]], path), path
        raise ValueError(f"like is {path!r}, expected .npz, .npy, .csv, an array or a DataFrame")
    return _rows(like, "like"), getattr(like, "name", None) or "like"


def _rows(values, name):
    rows = np.asarray(getattr(values, "to_numpy", lambda: values)(), dtype=float)
    if rows.ndim != 2:
        raise ValueError(f"{name} has {rows.ndim} dimensions, expected rows and columns")
    if not len(rows):
        raise ValueError(f"{name} has no rows")
    return rows


class Asked:
    """A model with a number of inputs (None: it doesn't know) and answers to rows of float64 numbers."""

    def __init__(self, answer, inputs=None, model=None):
        self.answer, self.inputs, self.given = answer, inputs, model
        self.error = None

    @classmethod
    def model(cls, model):
        if isinstance(model, (str, os.PathLike)):
            return cls(os.fspath(model), 1)  # the core reads it, and knows
        if _is_torch(model):
            return cls(_torch_answers(model), _torch_inputs(model), model)
        if hasattr(model, "predict") and (hasattr(model, "get_params") or hasattr(model, "n_features_in_")):
            return cls(_sklearn_answers(model), _sklearn_inputs(model), model)
        if not callable(model):
            raise TypeError(f"can't ask a {type(model).__name__}: expected a scikit-learn estimator, a PyTorch module, an .onnx path or a function of rows")
        return cls(model, getattr(model, "inputs", None), model)

    def scaler(self):
        """(means, spreads) of the first step of a scikit-learn Pipeline, where it standardises; else (None, None)."""
        steps = getattr(self.given, "steps", None) or getattr(getattr(self.given, "regressor_", None), "steps", None)
        first = steps[0][1] if steps else None
        if getattr(first, "mean_", None) is None or getattr(first, "scale_", None) is None:
            return None, None
        return np.asarray(first.mean_, float), np.asarray(first.scale_, float)

    def run(self, extract, *options):
        if isinstance(self.answer, str):
            return extract(self.answer, *options)
        try:
            return extract(self, *options)
        except Exception:
            if self.error is not None:  # the user's own, with its own traceback
                raise self.error
            raise

    def __call__(self, x):
        try:
            return _numbers(self.answer(x))
        except BaseException as error:
            self.error = error
            raise


def _numbers(answers):
    if hasattr(answers, "detach"):  # a tensor, maybe with grad, maybe on another device
        answers = answers.detach().cpu()
        answers = (answers.float() if answers.element_size() < 4 else answers).numpy()
    answers = np.asarray(getattr(answers, "to_numpy", lambda: answers)())
    if answers.dtype.kind not in "fiub":
        raise ValueError(f"the model answers with {answers.dtype} values, such as {answers.ravel()[0]!r}: names of classes alone are not enough to recover a "
                         "network; hand over a function that returns probabilities or scores (predict_proba, decision_function)")
    return answers.astype(float)


def _is_torch(model):
    return any(kind.__module__.split(".")[0] == "torch" for kind in type(model).__mro__) and hasattr(model, "state_dict")


def _torch_answers(model):
    import torch

    first = next(model.parameters(), None)
    kind = {"dtype": first.dtype, "device": first.device} if first is not None else {"dtype": torch.float32}

    def answers(x):
        was_training = model.training
        model.eval()
        try:
            with torch.no_grad():
                return model(torch.as_tensor(x).to(**kind))
        finally:
            model.train(was_training)

    return answers


def _torch_inputs(model):
    for module in model.modules():
        for name in ("in_features", "num_features"):
            if hasattr(module, name):
                return int(getattr(module, name))
    return None


def _sklearn_inputs(model):
    for part in (model, getattr(model, "regressor_", None)):
        if getattr(part, "n_features_in_", None) is not None:
            return int(part.n_features_in_)
    raise ValueError(f"{type(model).__name__} doesn't know its inputs: is it fitted?")


def _sklearn_answers(model):
    predict = getattr(model, "predict_proba", None) or getattr(model, "decision_function", None) or model.predict
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return predict
    import pandas

    return lambda x: predict(pandas.DataFrame(x, columns=names))
