from os import PathLike
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

__version__: str

class DataError(ValueError): ...

class Network:
    def __init__(self, W: ArrayLike, b: Optional[ArrayLike] = ..., A: Optional[ArrayLike] = ..., skip: Optional[ArrayLike] = ...,
                 offset: Optional[ArrayLike] = ..., activation: str = ...) -> None: ...
    @property
    def W(self) -> NDArray[np.float64]: ...
    @property
    def b(self) -> NDArray[np.float64]: ...
    @property
    def A(self) -> NDArray[np.float64]: ...
    @property
    def skip(self) -> NDArray[np.float64]: ...
    @property
    def offset(self) -> NDArray[np.float64]: ...
    @property
    def activation(self) -> str: ...
    @property
    def inputs(self) -> int: ...
    @property
    def units(self) -> int: ...
    @property
    def outputs(self) -> int: ...
    @property
    def widths(self) -> list[int]: ...
    @property
    def layers(self) -> list[tuple[NDArray[np.float64], ...]]: ...
    @property
    def around(self) -> NDArray[np.float64]: ...
    @staticmethod
    def deep(layers: Any, A: Optional[ArrayLike] = ..., skip: Optional[ArrayLike] = ..., offset: Optional[ArrayLike] = ...,
             around: Optional[ArrayLike] = ..., activation: str = ...) -> Network: ...
    def predict(self, x: NDArray[Any]) -> NDArray[Any]: ...
    def __call__(self, x: NDArray[Any]) -> NDArray[Any]: ...
    def canonical(self) -> Network: ...
    def write(self, path: Union[str, PathLike[str]], dtype: str = ...) -> None: ...
    def onnx(self, dtype: str = ...) -> bytes: ...
    @staticmethod
    def read(path: Union[str, PathLike[str]]) -> Network: ...

class FeedForward:
    @staticmethod
    def read(path: Union[str, PathLike[str]]) -> FeedForward: ...
    @property
    def inputs(self) -> int: ...
    @property
    def outputs(self) -> int: ...
    @property
    def dtype(self) -> str: ...
    def network(self) -> Network: ...
    def __call__(self, x: NDArray[Any]) -> NDArray[np.float64]: ...

class Result:
    status: str
    message: str
    method: str
    method_asked: str
    method_reason: str
    network: Network
    samples: int
    residual_rms: float
    residual_relative: float
    holdout_rms: float
    noise_estimate: float
    sign_ambiguous: bool
    seconds: float
    notes: list[str]
    figures: dict[str, float]
    series: dict[str, list[float]]
    stages: list[dict[str, Any]]
    usable: bool
    certified: bool
    def brief(self) -> str: ...
    def full(self) -> str: ...
    def json(self) -> str: ...

class Extraction:
    result: Result
    network: Network
    status: str
    queries: int
    repeated: int
    reused: int
    restarts: int
    attempts: int

class ThresholdModel:
    W: NDArray[Any]
    t: NDArray[Any]
    unit: str
    inputs: int
    units: int
    def predict(self, x: NDArray[Any]) -> NDArray[Any]: ...
    def __call__(self, x: NDArray[Any]) -> NDArray[Any]: ...
    def first_layer(self, x: NDArray[Any]) -> NDArray[Any]: ...
    def write(self, path: Union[str, PathLike[str]]) -> None: ...
    @staticmethod
    def read(path: Union[str, PathLike[str]]) -> ThresholdModel: ...

class PowerSums:
    samples: int
    inputs: int
    order: int
    def __add__(self, other: PowerSums) -> PowerSums: ...
    def write(self, path: Union[str, PathLike[str]]) -> None: ...
    @staticmethod
    def read(path: Union[str, PathLike[str]]) -> PowerSums: ...

class FirstLayerResult:
    status: str
    message: str
    model: ThresholdModel
    units: int
    usable: bool
    W: NDArray[Any]
    t: NDArray[Any]
    holdout_error: float
    direction_error: float
    figures: dict[str, float]
    notes: list[str]
    certified: bool
    def json(self) -> str: ...
