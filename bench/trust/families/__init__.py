"""Families of cases. Each is a function of a random stream that returns a Case; `family` puts it on the list."""
import zlib

import numpy as np

_FAMILIES = {}  # name: (function, share of the campaign)


def family(name, share):
    def add(function):
        _FAMILIES[name] = (function, share)
        return function

    return add


def names():
    _load()
    return list(_FAMILIES)


def _load():
    from . import (asked_wrongly, combined, copies, deep, forced_methods, hidden_units, input_kinds, low_signal,  # noqa: F401
                   noisy, other_functions, people, rounded_inside, solvable, tasks, time_order, trained)


def schedule():
    """Names by slot: case number i belongs to slot i modulo the length; families are spread evenly."""
    _load()
    slots = []
    for name, (_, share) in _FAMILIES.items():
        slots += [((i + 0.5) / share, name) for i in range(share)]
    return [name for _, name in sorted(slots)]


def make(name, number):
    """The case of a family with this number: the same on every machine."""
    _load()
    if name not in _FAMILIES:
        raise KeyError(f"no family {name!r}; there are {', '.join(_FAMILIES)}")
    rng = np.random.default_rng([zlib.crc32(name.encode()), number])
    case = _FAMILIES[name][0](rng)
    case.name, case.family, case.seed = f"{name}:{number}", name, int(rng.integers(1 << 30))
    return case
