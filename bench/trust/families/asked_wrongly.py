"""The wrong number of units asked for."""
import numpy as np

from .. import noises
from . import family
from .common import add_noise, planted_case, samples_for, sizes


@family("wrong-number", 6)
def wrong_number(rng):
    k, d, l = sizes(rng, most_units=5)
    case = planted_case(rng, k, d, l, min(max(samples_for(rng, k, d, l, 8, 60), 80), 3000), share=0.03, angle=0.1,
                        spread=(0.05, 1.5) if rng.random() < 0.3 else (0.5, 1.5))
    case.units = max(1, k + int(rng.choice([-2, -1, -1, 1, 2])))
    case.words += f", {case.units} asked for"
    if rng.random() < 0.5:
        f = case.labels
        s = np.exp(rng.uniform(np.log(1e-7), np.log(0.3))) * noises.spread_of(f)
        add_noise(case, noises.normal(rng, f.shape, s))
    return case
