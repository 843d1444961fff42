"""What the tests of the book share."""

import socket

import pytest


@pytest.fixture
def taken(monkeypatch):
    """A port that was free, and is another's when the kernel binds it."""
    from jupyter_client.provisioning.local_provisioner import LocalPortCache

    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        monkeypatch.setattr(
            LocalPortCache, "find_available_port", lambda *_: other.getsockname()[1]
        )
        yield
