"""Function calls with a time limit, in a process that can be stopped."""

from __future__ import annotations

import os
import pickle
import queue
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, BinaryIO

from liftlib.errors import LiftError

HAS_PROCESSES = sys.platform != "emscripten"  # in a browser, calls run in this process and cannot be stopped


class Trying(AbstractContextManager["Trying"]):
    """A process that runs one function call at a time, each with a time limit.

    >>> with Trying() as trying:
    ...     trying.call(divmod, (7, 2), 60.0)
    (3, 1)
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def call(self, function: Callable[..., Any], args: tuple[Any, ...], seconds: float) -> Any:
        """Return a function's result, or raise its exception.

        TimeoutError is raised, and the process stopped, if the call takes longer than ``seconds``; LiftError is raised
        if the process dies, for example because it runs out of memory.
        """
        if not HAS_PROCESSES:
            return _in_place(function, args, seconds)
        try:
            process = self._process or self._start(function)
            _send(process, (function, args))
        except BrokenPipeError:
            self._stop()
            raise LiftError("a process that tried a mechanism died, perhaps because it ran out of memory") from None
        try:
            answer = self._answers.get(timeout=seconds)
        except queue.Empty:
            self._stop()
            raise TimeoutError(f"it took longer than {seconds:g} s") from None
        if answer is None:
            self._stop()
            raise LiftError("a process that tried a mechanism died, perhaps because it ran out of memory")
        ended_well, value = answer
        if not ended_well:
            raise value
        return value

    def _start(self, function: Callable[..., Any]) -> subprocess.Popen[bytes]:
        """Start the process and wait for its imports, which do not count as call time."""
        self._process = subprocess.Popen(
            # -P: import only from this process's path, never a file such as scipy.py in the working folder
            [sys.executable, "-P", "-c", "from liftbook.figures.relatives.trying import serve; serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        self._answers: queue.Queue[Any] = queue.Queue()
        threading.Thread(target=_listen, args=(self._process.stdout, self._answers), daemon=True).start()
        _send(self._process, function)
        self._answers.get()
        return self._process

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def __exit__(self, *_: object) -> None:
        self._stop()


def _send(process: subprocess.Popen[bytes], what: Any) -> None:
    assert process.stdin is not None
    pickle.dump(what, process.stdin)
    process.stdin.flush()


def _in_place(function: Callable[..., Any], args: tuple[Any, ...], seconds: float) -> Any:
    started = time.monotonic()
    value = function(*args)
    if time.monotonic() - started > seconds:
        raise TimeoutError(f"it took longer than {seconds:g} s")
    return value


def _listen(stream: BinaryIO, answers: queue.Queue[Any]) -> None:
    while True:
        try:
            answers.put(pickle.load(stream))  # noqa: S301 - from our own process
        except (EOFError, pickle.UnpicklingError, ValueError):
            answers.put(None)
            return


def serve() -> None:
    """Answer calls from the standard input until it ends."""
    # redirect all prints, even by a solver in C, to the standard error
    out, sys.stdout = os.fdopen(os.dup(1), "wb"), sys.stderr
    os.dup2(2, 1)
    warnings.showwarning = lambda message, *_, **__: print(f"lift: {message}", file=sys.stderr)
    # unpickling a function imports its module, which must not count as the first call's time
    pickle.load(sys.stdin.buffer)  # noqa: S301 - from our own process
    pickle.dump("started", out)
    out.flush()
    while True:
        try:
            function, args = pickle.load(sys.stdin.buffer)  # noqa: S301 - from our own process
        except EOFError:
            return
        try:
            answer = (True, function(*args))
        except Exception as error:  # noqa: BLE001 - sent to the caller, which raises it
            answer = (False, error)
        pickle.dump(answer, out)
        out.flush()
