"""One case: data, what is asked of the program, and what made the labels."""
from dataclasses import dataclass, field
from typing import Callable, Optional

import numpy as np

from .noises import Noise


@dataclass
class Case:
    x: np.ndarray
    y: np.ndarray
    truth: Callable  # rows to labels without noise
    fresh: Callable  # (rng, n) to further inputs drawn alike
    words: str = ""  # what is special about it
    noise: Optional[Noise] = None  # None: what is not wrong is the truth, rounded
    wrong: Optional[np.ndarray] = None  # (n, l) of bool: entries replaced by something else
    float32: bool = False  # labels rounded to float32
    units: object = "auto"
    method: str = "auto"
    settings: dict = field(default_factory=dict)
    starts: int = 12
    task: str = "learn"  # or a name of `tasks.RUN`
    extra: dict = field(default_factory=dict)  # what a task needs beside
    solvable: bool = False  # must be claimed
    discrete: bool = False  # kinks between the values of the inputs can't be told apart
    name: str = ""
    family: str = ""
    seed: int = 0

    @property
    def labels(self):
        """y as a matrix of float64."""
        return np.asarray(self.y, float).reshape(len(self.x), -1)

    def describe(self):
        n, d = np.shape(self.x)
        asked = f"units={self.units!r}, method={self.method!r}, seed={self.seed}"
        if self.settings:
            asked += f", settings={self.settings}"
        return f"{self.name}: {n} samples, {d} inputs, {self.labels.shape[1]} outputs; {self.words}; {self.task}({asked})"
