"""Which units of a known network some inputs can see."""
import numpy as np

from ._core import Network


def unit_activity(network, x):
    """For each unit "bends", "off" or "linear" on the rows of x: only units that bend can be recovered from values there.

    A unit that is off at every row leaves no trace in the values, one that is on at every row is linear and can't be told
    from a linear term.

    >>> import numpy as np, relucover
    >>> net = relucover.Network(W=np.eye(3), b=[0.0, -9.0, 9.0], A=[[1.0, 1.0, 1.0]])
    >>> relucover.unit_activity(net, np.random.default_rng(0).normal(size=(1000, 3)))
    ['bends', 'off', 'linear']
    """
    on = np.mean(np.asarray(x, float) @ network.W.T + network.b > 0, axis=0)
    return ["off" if part == 0 else "linear" if part == 1 else "bends" for part in on]


def as_seen(network, x):
    """The network that the rows of x show: units that are off there dropped, units that are linear there in skip and offset.

    >>> import numpy as np, relucover
    >>> net = relucover.Network(W=np.eye(3), b=[0.0, -9.0, 9.0], A=[[1.0, 1.0, 1.0]])
    >>> x = np.random.default_rng(0).normal(size=(1000, 3))
    >>> seen = relucover.as_seen(net, x)
    >>> seen.units, bool(np.allclose(seen.predict(x), net.predict(x), rtol=0, atol=1e-13))
    (1, True)
    """
    kinds = np.array(unit_activity(network, x), dtype=object)
    bends, linear = kinds == "bends", kinds == "linear"
    return Network(W=network.W[bends], b=network.b[bends], A=network.A[:, bends],
                   skip=network.skip + network.A[:, linear] @ network.W[linear],
                   offset=network.offset + network.A[:, linear] @ network.b[linear])
