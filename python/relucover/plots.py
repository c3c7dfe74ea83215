"""Pictures of results, as functions that draw on a matplotlib axis and give it back."""
import numpy as np

INK, ACCENT, QUIET = "#7a8794", "#2f81c7", "#b8c2cc"


def _axis(ax):
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots()[1]


def _whole(*axes):
    """Ticks at whole numbers: there is no unit 2.5."""
    from matplotlib.ticker import MaxNLocator

    for axis in axes:
        axis.set_major_locator(MaxNLocator(nbins="auto", integer=True))


def spectrum(values, edge=None, ax=None):
    """Singular values of T_2, largest first, with the level of noise: units stand above it, then comes the gap."""
    ax = _axis(ax)
    values = np.abs(np.asarray(values, float))
    above = values > edge if edge else np.ones(len(values), bool)
    places = np.arange(1, len(values) + 1)
    ax.bar(places[above], values[above], color=ACCENT)
    ax.bar(places[~above], values[~above], color=QUIET)
    if edge:
        ax.axhline(edge, color=INK, linestyle="--", linewidth=1)
        ax.annotate("noise", (len(values), edge), ha="right", va="bottom", color=INK)
    ax.set_yscale("log")
    if values.max(initial=0) > 0:  # rounding errors of 1e-16 must not flatten the rest
        ax.set_ylim(bottom=max(values.min(), 1e-4 * values.max()))
    _whole(ax.xaxis)
    ax.set_xlabel("place")
    ax.set_ylabel("singular value of T₂")
    return ax


def convergence(history, ax=None):
    """Relative squared residual after each accepted step of the search."""
    ax = _axis(ax)
    ax.semilogy(np.arange(1, len(history) + 1), np.maximum(history, 1e-33), color=ACCENT, marker="o", markersize=3)
    _whole(ax.xaxis)
    ax.set_xlabel("step")
    ax.set_ylabel("relative squared residual")
    return ax


def stages(records, ax=None):
    """Seconds of each stage."""
    ax = _axis(ax)
    names = [record["stage"] for record in records]
    ax.barh(names[::-1], [record["seconds"] for record in records][::-1], color=ACCENT)
    ax.set_xlabel("seconds")
    return ax


def residuals(network, x, y, ax=None):
    """Residuals against predictions."""
    ax = _axis(ax)
    y = np.asarray(y, float).reshape(len(x), -1)
    predicted = network.predict(np.asarray(x, float))
    ax.plot(predicted.ravel(), (y - predicted).ravel(), ".", color=ACCENT, markersize=2, alpha=0.5)
    ax.axhline(0, color=INK, linewidth=1)
    ax.set_xlabel("prediction")
    ax.set_ylabel("residual")
    return ax


def _canonical(network):
    """Unit weight vectors; models with thresholds have them already."""
    return network.canonical() if hasattr(network, "canonical") else network


def weights(network, truth=None, ax=None):
    """Weights of every unit (canonical form); with the truth, each pair side by side: points on the diagonal are right."""
    from . import _core

    ax = _axis(ax)
    answer = _canonical(network)
    if truth is None:
        largest = max(1e-300, np.abs(answer.W).max(initial=0))
        image = ax.imshow(answer.W, cmap="RdBu", vmin=-largest, vmax=largest, aspect="auto", interpolation="nearest")
        bar = ax.figure.colorbar(image, ax=ax, fraction=0.06, pad=0.03)
        bar.outline.set_visible(False)
        bar.set_label("weight (unit vectors)")
        _whole(ax.xaxis, ax.yaxis)
        ax.set_xlabel("input")
        ax.set_ylabel("unit")
        return ax
    planted = _canonical(truth)
    if isinstance(truth, _core.ThresholdModel):
        partner = np.abs(planted.W @ answer.W.T).argmax(axis=1) if len(answer.W) else [-1] * len(planted.W)
    else:
        partner = _core.compare(planted, answer)["partner"]
    for i, j in enumerate(partner):
        if j >= 0:
            sign = 1.0 if planted.W[i] @ answer.W[j] >= 0 else -1.0
            ax.plot(planted.W[i], sign * answer.W[j], ".", markersize=7)
    ax.plot([-1, 1], [-1, 1], color=QUIET, linewidth=1, alpha=0.5, zorder=0)
    ax.set_xlabel("true weight")
    ax.set_ylabel("recovered weight")
    return ax


def layers(network, ax=None):
    """A deep network from its inputs (below) to its outputs: every weight a line, blue above zero, red below, as dark as it is large in its layer."""
    from matplotlib.collections import LineCollection

    ax = _axis(ax)
    weights = [np.asarray(layer[0], float) for layer in network.layers] + [np.asarray(network.A, float)]
    sizes = [weights[0].shape[1]] + [len(w) for w in weights]
    widest = max(sizes)
    places = [(np.arange(size) - (size - 1) / 2) * min(1.6, (widest - 1) / max(size - 1, 1)) for size in sizes]
    for level, w in enumerate(weights):
        largest = max(1e-300, np.abs(w).max(initial=0))
        strength = np.abs(w) / largest
        order = np.argsort(strength, axis=None)
        lines = [((places[level][k % w.shape[1]], level), (places[level + 1][k // w.shape[1]], level + 1)) for k in order]
        colours = [("#2f81c7" if w.flat[k] > 0 else "#c75b2f") for k in order]
        ax.add_collection(LineCollection(lines, colors=colours, linewidths=0.4 + 1.2 * strength.flat[order], alpha=np.clip(strength.flat[order], 0.04, 0.9)))
    for level, place in enumerate(places):
        ax.plot(place, np.full(len(place), level), "o", color=INK, markersize=5, zorder=3)
    ax.set_yticks(range(len(sizes)), [f"{sizes[0]} inputs"] + [f"{size} units" for size in sizes[1:-1]] + [f"{sizes[-1]} output" + "s" * (sizes[-1] > 1)])
    ax.set_xticks([])
    ax.spines["bottom"].set_visible(False)
    ax.spines["left"].set_visible(False)
    ax.tick_params(length=0)
    ax.set_ylim(-0.3, len(sizes) - 0.7)
    return ax
