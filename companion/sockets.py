"""Kernels whose sockets are in folders of their own."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Any

import zmq
from jupyter_client.manager import AsyncKernelManager

LONGEST_NAME = "kernel-ipc-5"


class LocalKernel(AsyncKernelManager):  # type: ignore[misc]
    """A kernel manager whose sockets no other user or process can use.

    A port is chosen before a kernel binds it, so that one of several kernels that start together sometimes finds its
    port taken, and fails. Ports are used only if the system has no sockets in folders, or the folder's path is too
    long.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        _ = self.kernel_spec  # raises where there is none, before a folder is made
        place = Path(tempfile.mkdtemp(prefix="lift-"))
        self._tidy = weakref.finalize(self, shutil.rmtree, place, ignore_errors=True)
        self.connection_file = str(place / "kernel.json")
        if os.name == "posix" and zmq.has("ipc") and len(bytes(place / LONGEST_NAME)) < zmq.IPC_PATH_MAX_LEN:
            self.transport = "ipc"

    def cleanup_connection_file(self) -> None:
        """Remove the folder; a kernel that is restarted keeps it."""
        super().cleanup_connection_file()
        if hasattr(self, "_tidy"):  # not where there is no such kernel
            self._tidy()
