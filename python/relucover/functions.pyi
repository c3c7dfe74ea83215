from os import PathLike
from typing import Any, Callable, Mapping, Optional, Sequence, Union

from numpy.typing import ArrayLike, NDArray

from ._core import Extraction, FeedForward, Network, Result

Path = Union[str, PathLike[str]]
Units = Union[str, int, None]
Verbose = Union[bool, int, Callable[[str, float, str], Any]]

def learn(x: Union[ArrayLike, Path, Sequence[Path]], y: Optional[ArrayLike] = ..., *, units: Units = ..., method: str = ..., link: str = ...,
          seed: int = ..., threads: Optional[int] = ..., time_limit: Optional[float] = ..., starts: int = ...,
          settings: Optional[Mapping[str, float]] = ..., verbose: Verbose = ...) -> Result: ...
def sample(inputs: int, units: int, samples: int, *, outputs: int = ..., bias: float = ..., weights: str = ...,
           distribution: str = ..., noise: float = ..., seed: int = ...) -> tuple[NDArray[Any], NDArray[Any], Network]: ...
def compare(truth: Network, answer: Network) -> dict[str, Any]: ...
def diagnose(x: Union[ArrayLike, Path, Sequence[Path]], y: Optional[ArrayLike] = ..., *,
             threads: Optional[int] = ..., look: float = ...) -> dict[str, Any]: ...
def methods() -> list[dict[str, Any]]: ...
def extract(oracle: Any = ..., *, like: Any = ..., link: str = ..., look: bool = ...,
            inputs: Optional[int] = ..., command: Optional[str] = ..., protocol: str = ..., timeout: float = ...,
            max_restarts: int = ..., budget: int = ..., first: int = ..., fresh: int = ..., batch: int = ..., scale: Optional[float] = ...,
            spool: Optional[Path] = ..., units: Units = ..., method: str = ..., seed: int = ..., threads: Optional[int] = ...,
            time_limit: Optional[float] = ..., starts: int = ..., settings: Optional[Mapping[str, float]] = ...,
            verbose: Verbose = ...) -> Extraction: ...
