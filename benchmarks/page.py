"""Times in the built book: from the click on "Run this page", of the living picture,
and of a reader's own table.
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from typing import Any

import pandas as pd

from companion.chromium import FLAGS, find_chromium
from companion.pdf import served

HTML = Path(__file__).resolve().parents[1] / "_build" / "html"
LONG = 600_000
"""Milliseconds to wait for a page on a machine with other work."""
THROTTLE = 4
"""How many times slower Chromium makes the processor while the picture is timed: a
cheap telephone.
"""

LOOP = """() => { const start = performance.now(); let sum = 0;
    for (let i = 1; i <= 5e6; i++) sum += Math.log(i) / i;
    return sum > 0 ? performance.now() - start : NaN }"""
PRESS = """key => { const start = performance.now();
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
    return performance.now() - start }"""  # noqa: E501


def page(quick: bool) -> pd.DataFrame:
    """Seconds that a reader waits in the built book, on a cold start; and a change of
    the living picture.
    """
    if find_chromium() is None or not (HTML / "intro.html").exists():
        print(
            "The pages are left out: they need Chromium and a built book (make book)."
        )
        return pd.DataFrame(columns=["what", "value", "unit"])
    from playwright.sync_api import sync_playwright

    with served(HTML) as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=FLAGS
        )
        rows = []
        for name in ["watchdog"] if quick else ["watchdog", "aorr"]:
            rows += first_results(browser, f"{site}chapters/{name}.html", name)
        rows += picture(browser, f"{site}intro.html", 3 if quick else 21)
        rows += own_table(browser, f"{site}chapters/your-own-data.html")
        browser.close()
    return pd.DataFrame(rows, columns=["what", "value", "unit"])


def opened(browser: Any, address: str) -> Any:
    """Return a page of a new context, so that nothing is in its cache."""
    shown = browser.new_context(viewport={"width": 1300, "height": 900}).new_page()
    shown.set_default_timeout(LONG)
    shown.goto(address, wait_until="networkidle")
    return shown


def until(shown: Any, click: str, selector: str) -> float:
    """Return the seconds from a click until something is attached to the page."""
    started = time.perf_counter()
    shown.click(click)
    shown.wait_for_selector(selector, state="attached")
    return time.perf_counter() - started


CHANGE = """text => { const field = document.querySelector('.companion-panel [name=epsilons]'); field.value = text;
    field.dispatchEvent(new Event('change', {bubbles: true})) }"""  # noqa: E501
READY = "document.querySelector('.companion-state').textContent.includes('is ready')"


def first_results(
    browser: Any, address: str, name: str
) -> list[tuple[str, float, str]]:
    """Time the form, the first new number after a change at once, and the first one
    once Python is ready.
    """
    shown = opened(browser, address)
    started = time.perf_counter()
    form = until(shown, ".companion-start button", ".companion-panel")
    shown.evaluate(CHANGE, "1, 2.2, 4")
    shown.wait_for_selector("[data-book]", state="attached")
    cold = time.perf_counter() - started
    shown.context.close()
    shown = opened(browser, address)
    until(shown, ".companion-start button", ".companion-panel")
    shown.wait_for_function(READY)
    shown.wait_for_timeout(1000)
    started = time.perf_counter()
    shown.evaluate(CHANGE, "1, 2.2, 4")
    shown.wait_for_selector("[data-book]", state="attached")
    ready = time.perf_counter() - started
    shown.context.close()
    return [
        (f"{name}: click to form", form, "s"),
        (f"{name}: click and change at once to the first new number", cold, "s"),
        (f"{name}: change to the first new number, Python ready", ready, "s"),
    ]


def picture(browser: Any, address: str, presses: int) -> list[tuple[str, float, str]]:
    """Time a moved person in the living picture, by the optimal response of six bands,
    against a fixed loop.
    """
    shown = opened(browser, f"{address}#mechanism=aorr&eps=1&lambda=0.5&bands=6")
    shown.context.new_cdp_session(shown).send(
        "Emulation.setCPUThrottlingRate", {"rate": THROTTLE}
    )
    shown.locator(".lift-cell").first.focus()
    changes, loops = [], []
    for at in range(presses):
        loops.append(shown.evaluate(LOOP))
        changes.append(shown.evaluate(PRESS, "ArrowUp" if at % 2 else "ArrowDown"))
    shown.context.close()
    change, loop = statistics.median(changes), statistics.median(loops)
    return [
        (f"picture: a change, processor throttled {THROTTLE} times", change, "ms"),
        ("picture: a loop of 5e6 logarithms, throttled", loop, "ms"),
        ("picture: a change / the loop", change / loop, ""),
    ]


def own_table(browser: Any, address: str) -> list[tuple[str, float, str]]:
    """Time the table page with its example: its pictures, and a release."""
    shown = opened(browser, address)
    rows = [
        (
            "table: click to its pictures",
            until(shown, ".companion-tool", ".lift-seen img >> nth=1"),
            "s",
        )
    ]
    rows.append(
        (
            "table: release",
            until(shown, "[data-do=release]", ".lift-desk[data-released]"),
            "s",
        )
    )
    shown.context.close()
    return rows
