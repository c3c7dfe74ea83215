"""The other side of `relucover extract --oracle-command`: answers queries on standard input with a function."""
import sys

import numpy as np


class _Pipe:
    """A pipe that numpy reads and writes by bytes; it takes a real file to be seekable."""

    def __init__(self, stream):
        self.read, self.write, self.flush = stream.read, getattr(stream, "write", None), getattr(stream, "flush", None)


def serve(function, protocol="npy", source=None, target=None):
    """Answer until the input ends. `function` gets an array (queries, inputs) and returns a row or a number for each.

    A program for ``--oracle-command "python3 predict.py" --protocol npy``::

        from relucover.serve import serve
        serve(model.predict)

    >>> import io, numpy as np
    >>> from relucover.serve import serve
    >>> out = io.BytesIO()
    >>> serve(lambda x: x.sum(axis=1), "lines", io.BytesIO(b"1 2\\n3 4.5\\n"), out)
    >>> out.getvalue()
    b'3.0\\n7.5\\n'
    """
    source = source or sys.stdin.buffer
    target = target or sys.stdout.buffer
    if protocol == "lines":
        for line in iter(source.readline, b""):
            answer = np.atleast_1d(np.asarray(function(np.array([line.split()], float)))[0])
            target.write(" ".join(repr(float(value)) for value in answer).encode() + b"\n")
            target.flush()
    elif protocol == "npy":
        pipe_in, pipe_out = _Pipe(source), _Pipe(target)
        while source.peek(1) if hasattr(source, "peek") else True:
            queries = np.lib.format.read_array(pipe_in)
            np.lib.format.write_array(pipe_out, np.asarray(function(queries)))
            target.flush()
    else:
        raise ValueError(f'protocol is "{protocol}", expected "lines" or "npy"')
