"""Worker processes that survive what they ask: a crash or a hang ends one worker, is counted, and another takes over."""
import multiprocessing
import os
import signal
import tempfile
import time
from multiprocessing.connection import wait

HANG = 60.0 + 6 * float(os.environ.get("TRUST_TIME_LIMIT", 8.0))  # seconds for one case; the program is told to stop long before


class Worker:
    def __init__(self, work):
        self.pipe, child = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=_serve, args=(child, work), daemon=True)
        self.process.start()
        child.close()
        self.job = None

    def give(self, job):
        self.job, self.since = job, time.monotonic()
        self.pipe.send(job)

    def end(self):
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _serve(pipe, work):
    """Runs jobs; what they write to standard output is caught, because a library never prints."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    caught = tempfile.TemporaryFile()
    os.dup2(caught.fileno(), 1)
    while True:
        try:
            job = pipe.recv()
        except EOFError:
            return
        result = work(job)
        size = os.fstat(caught.fileno()).st_size
        if size:
            caught.seek(0)
            result["printed"] = caught.read(500).decode(errors="replace")
            caught.truncate(0)
            caught.seek(0)
        pipe.send(result)


def run_all(jobs, work, workers, failed):
    """Yields work(job) of every job, in the order in which they end; failed(job, kind, words, seconds) makes the result of a
    job whose worker died or had to be ended."""
    jobs = iter(jobs)
    crew = [Worker(work) for _ in range(workers)]
    try:
        for worker in crew:
            _next(worker, jobs)
        while any(worker.job is not None for worker in crew):
            ready = wait([worker.pipe for worker in crew if worker.job is not None], timeout=1.0)
            for i, worker in enumerate(crew):
                if worker.job is None:
                    continue
                if worker.pipe in ready:
                    try:
                        result = worker.pipe.recv()
                    except (EOFError, OSError):
                        worker.process.join(5)
                        code = worker.process.exitcode
                        result = failed(worker.job, "crash", f"the worker ended with code {code}", time.monotonic() - worker.since)
                        crew[i] = worker = _replaced(worker, work)
                elif time.monotonic() - worker.since > HANG:
                    result = failed(worker.job, "hang", f"no answer after {HANG:.0f} s", HANG)
                    crew[i] = worker = _replaced(worker, work)
                else:
                    continue
                _next(worker, jobs)
                yield result
    finally:
        for worker in crew:
            worker.end()


def _replaced(worker, work):
    worker.end()
    return Worker(work)


def _next(worker, jobs):
    worker.job = None
    for job in jobs:
        worker.give(job)
        return
