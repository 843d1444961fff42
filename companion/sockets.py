"""A kernel manager that uses Unix sockets in a private folder."""

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
    """A kernel manager whose sockets are in a private temporary folder.

    With TCP ports, a port is chosen before the kernel binds it, so that kernels that
    start together sometimes collide and fail. Ports are used only if the system has no
    Unix sockets or the folder's path is too long.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        _ = self.kernel_spec  # raises where there is none, before a folder is made
        place = Path(tempfile.mkdtemp(prefix="book-"))
        self._tidy = weakref.finalize(self, shutil.rmtree, place, ignore_errors=True)
        self.connection_file = str(place / "kernel.json")
        if (
            os.name == "posix"
            and zmq.has("ipc")
            and len(bytes(place / LONGEST_NAME)) < zmq.IPC_PATH_MAX_LEN
        ):
            self.transport = "ipc"

    def cleanup_connection_file(self) -> None:
        """Remove the private folder, which a restarted kernel keeps."""
        super().cleanup_connection_file()
        if hasattr(self, "_tidy"):  # not where there is no such kernel
            self._tidy()
