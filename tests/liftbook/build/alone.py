"""A page that holds one part of the book and nothing else, in the book's style."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def alone(markup, dark):
    """Return the page's HTML, in the light or the dark theme."""
    theme = "dark" if dark else "light"
    colours = {"dark": ("#121212", "#ced6dd", "#29313d"), "light": ("#ffffff", "#222832", "#f3f4f5")}[theme]
    names = ("background", "text-base", "surface")
    ground = ";".join(f"--pst-color-{name}:{value}" for name, value in zip(names, colours, strict=True))
    muted = "#9ca4af" if dark else "#48566b"
    style = (ROOT / "_static" / "book.css").read_text(encoding="utf-8")
    return (
        f'<!doctype html><html lang="en" data-theme="{theme}"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>A part</title><style>html {{{ground};'
        f"--pst-color-text-muted:{muted};--pst-color-link:{'#86b7ff' if dark else '#0b5bc5'};"
        f"color:{colours[1]};background:{colours[0]}}} article {{max-width: 700px}} {style}</style></head>"
        f'<body><main><h1>A part</h1><article class="bd-article">{markup}</article></main></body></html>'
    )
