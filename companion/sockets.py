"""The kernels of runs, which are spoken to over sockets in a folder of their own."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Any

import zmq
from jupyter_client.manager import AsyncKernelManager

LONGEST = "kernel-ipc-5"


class LocalKernel(AsyncKernelManager):  # type: ignore[misc]
    """A kernel manager whose sockets no other user or process can use.

    Ports are looked up before a kernel binds them: of kernels that start side by side, one now and then finds a port
    taken, and ends before its first cell. Where the machine has no sockets in folders, or the folder's path is longer
    than theirs may be, it is ports after all.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        _ = self.kernel_spec  # raises where there is none, before a folder is made
        place = Path(tempfile.mkdtemp(prefix="lift-"))
        self._tidy = weakref.finalize(self, shutil.rmtree, place, ignore_errors=True)
        self.connection_file = str(place / "kernel.json")
        if os.name == "posix" and zmq.has("ipc") and len(bytes(place / LONGEST)) < zmq.IPC_PATH_MAX_LEN:
            self.transport = "ipc"

    def cleanup_connection_file(self) -> None:
        """Leave nothing behind; a kernel that starts anew keeps all of it."""
        super().cleanup_connection_file()
        if hasattr(self, "_tidy"):  # not where there is no such kernel
            self._tidy()
