"""A page that holds one part of the book and nothing else, in the book's style."""

from importlib.resources import files

from asked import ROOT


def alone(markup, dark):
    """Return the page's HTML, in the light or the dark theme."""
    theme = "dark" if dark else "light"
    colours = {
        "dark": ("#121212", "#ced6dd", "#29313d"),
        "light": ("#ffffff", "#222832", "#f3f4f5"),
    }[theme]
    names = ("background", "text-base", "surface")
    ground = ";".join(
        f"--pst-color-{name}:{value}"
        for name, value in zip(names, colours, strict=True)
    )
    muted = "#9ca4af" if dark else "#48566b"
    link = "#86b7ff" if dark else "#0b5bc5"
    style = (ROOT / "_static" / "book.css").read_text(encoding="utf-8")
    return (
        f'<!doctype html><html lang="en" data-theme="{theme}"><head><meta'
        ' charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>A part</title>'
        f'<link rel="icon" href="data:,"><style>html {{{ground};'
        f"--pst-color-text-muted:{muted};--pst-color-link:{link};"
        f"color:{colours[1]};background:{colours[0]}}} article {{max-width: 700px}}"
        f" {style}</style></head>"
        "<body><main><h1>A part</h1><article"
        f' class="bd-article">{markup}</article></main></body></html>'
    )


def heard(page):
    """Note in ``page.complaints`` what a page's scripts complain of."""
    page.complaints = []
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on(
        "console",
        lambda said: (
            page.complaints.append(said.text) if said.type == "error" else None
        ),
    )
    return page


def opener(browser, folder, markup, site=None):
    """Give a function that opens a part in a file of its own, or from the address at
    which the folder is served.
    """
    contexts, site = [], site or folder.as_uri() + "/"

    def show(*given, address="", before="", dark=False, width=1280, **options):
        contexts.append(
            browser.new_context(viewport={"width": width, "height": 1000}, **options)
        )
        page = heard(contexts[-1].new_page())
        page.on(
            "request",
            lambda asked: (
                page.complaints.append(asked.url)
                if not asked.url.startswith((site, "data:"))
                else None
            ),
        )
        path = folder / f"{len(contexts)}.html"
        path.write_text(alone(before + markup(*given), dark), encoding="utf-8")
        page.goto(site + path.name + address)
        return page

    yield show
    for context in contexts:
        context.close()


def assert_it_fits_and_can_be_heard(page, width):
    """Nothing is wider than the screen, and axe has no complaint."""
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate(
        (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
    )
    found = page.evaluate(
        "() => axe.run(document, {resultTypes: ['violations']}).then(made =>"
        " made.violations.map(one => [one.id, one.nodes[0].html.slice(0, 200)]))"
    )
    assert found == []
    assert page.complaints == []
