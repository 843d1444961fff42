"""How long a reader waits for a page that runs: its first result, its next run, and a key while it runs.

``python -m benchmarks.pages`` opens pages of the built book, each in a Chromium of its own that has nothing kept.
A run's own cells take most of the second time; a key is answered at full speed and at a quarter of it.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import threading
import time
from pathlib import Path
from typing import Any

import pandas as pd
from playwright.sync_api import sync_playwright

from companion.chromium import FLAGS, find_chromium

HTML = Path(__file__).resolve().parents[1] / "_build" / "html"
TIMEOUT_MS = 600_000
LISTEN_SCRIPT = """() => { window.delays = [];
    document.addEventListener('keydown', e => window.delays.push(performance.now() - e.timeStamp)) }"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments: Any) -> None:
        pass


def keys(page: Any, slower: int) -> float:
    """Return the longest that a key waited during a run, in milliseconds, on a machine so many times slower."""
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
    runs = int(page.evaluate("document.querySelector('.lift-panel').dataset.runs"))
    page.click("[data-do=run]")
    page.focus("[name=seed]")
    page.evaluate("window.delays.length = 0")
    while int(page.evaluate("document.querySelector('.lift-panel').dataset.runs")) == runs:
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(50)
    return max(page.evaluate("window.delays"))


def visit(browser: Any, address: str) -> dict[str, float]:
    """Return the seconds and milliseconds of one visit."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(address)
    started = time.perf_counter()
    page.get_by_role("button", name="Run this page").first.click()
    page.wait_for_selector(".lift-panel")
    page.click("[data-do=run]")
    page.wait_for_selector(".lift-mine", state="attached", timeout=TIMEOUT_MS)
    first = time.perf_counter() - started
    page.wait_for_selector(".lift-panel[data-runs='1']", timeout=TIMEOUT_MS)
    started = time.perf_counter()
    page.click("[data-do=run]")
    page.wait_for_selector(".lift-panel[data-runs='2']", timeout=TIMEOUT_MS)
    next_run = time.perf_counter() - started
    cells = float(page.inner_text(".lift-state [role=status]").split(" cells in ")[1].split(" s")[0])
    page.evaluate(LISTEN_SCRIPT)
    return {
        "first result, s": first,
        "next run, s": next_run,
        "beyond its cells, s": next_run - cells,
        "a key waits, ms": keys(page, 1),
        "four times slower, ms": keys(page, 4),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chapters", nargs="*", default=["watchdog", "srr", "relatives"])
    chapters = parser.parse_args().chapters
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(HTML)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    rows = {}
    with sync_playwright() as playwright:
        for name in chapters:
            browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
            rows[name] = visit(browser, f"http://127.0.0.1:{server.server_port}/chapters/{name}.html")
            browser.close()
    print(pd.DataFrame(rows).T.round(2).to_string())
    server.shutdown()


if __name__ == "__main__":
    main()
