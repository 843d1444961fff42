"""The built book on a server of its own, in headless Chromium."""

import contextlib
import functools
import http.server
import sys
import threading
import warnings

import pytest
from asked import HTML

from companion.chromium import FLAGS, find_chromium


class Quiet(http.server.SimpleHTTPRequestHandler):
    """It lets a browser keep connections and files, as the book's own host does."""

    protocol_version = "HTTP/1.1"

    def end_headers(self):
        self.send_header("Cache-Control", "max-age=600")
        super().end_headers()

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        """A page that is closed while a large file is on its way is no error."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


@contextlib.contextmanager
def serving(folder):
    """Serve a folder at the address that is given."""
    server = Server(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def served():
    return serving


@pytest.fixture(scope="session")
def site():
    with serving(HTML) as address:
        yield address


class Browser:
    """Chromium, which is started again if it ended by itself."""

    def __init__(self, chromium):
        self._launch = functools.partial(
            chromium.launch, executable_path=find_chromium(), args=FLAGS
        )
        self._started = self._launch()

    def is_there(self):
        return self._started.is_connected()

    def __getattr__(self, name):
        if not self.is_there():
            warnings.warn(
                "Chromium ended by itself and was started again", stacklevel=2
            )
            self._started = self._launch()
        return getattr(self._started, name)


@pytest.fixture(scope="session")
def browser():
    if find_chromium() is None:
        pytest.skip("no Chromium on this machine")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = Browser(playwright.chromium)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 1300, "height": 900})
    yield context.new_page()
    context.close()
