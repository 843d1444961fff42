"""Reduce the theme's Font Awesome (2 MB) to the icons that the pages use.

The rules are written, together with Sphinx's own, to ``styles/theme.css``, which every
page loads first.
"""

import logging
import re
import shutil
from pathlib import Path
from typing import Any

from fontTools import subset  # type: ignore[import-untyped]
from sphinx.application import Sphinx

FONTS = {
    "solid-900": ("Font Awesome 6 Free", 900),
    "regular-400": ("Font Awesome 6 Free", 400),
    "brands-400": ("Font Awesome 6 Brands", 400),
}
PRIVATE_CODE = re.compile(
    r"\\(f[0-9a-f]{3}|e[0-9a-f]{3})\b|([\ue000-\uf8ff])", re.IGNORECASE
)
CSS_RULE = re.compile(r"([^{}@]+)\{([^{}]*)\}")
ICON_NAME = re.compile(r"\bfa-[a-z0-9-]+")


def without(text: str, word: str) -> str:
    """Return a text without the lines that contain a word.

    >>> without("a fine line\\nan awful one", "awful")
    'a fine line'
    """
    return "\n".join(line for line in text.splitlines() if word not in line)


def kept_rules(css: str, names: set[str]) -> str:
    """Return a style sheet without the rules for unused icons.

    >>> css = (
    ...     ".fa-x:before,.fa-y:before{content:'a'}.fa-z:before{content:'b'}.fas{top:0}"
    ... )
    >>> kept_rules(css, {"fa-y"})
    ".fa-y:before{content:'a'}.fas{top:0}"
    """
    rules = []
    for selectors, body in CSS_RULE.findall(css):
        of_icons = [
            selector
            for selector in selectors.split(",")
            if ICON_NAME.search(selector) and "content:" in body
        ]
        shown = [
            selector
            for selector in of_icons
            if set(ICON_NAME.findall(selector)) <= names
        ]
        if not of_icons or shown:
            rules.append(f"{','.join(shown) or selectors.strip()}{{{body}}}")
    return "".join(rules)


def codes_in(css: str) -> set[int]:
    """Return the code points of the icons in a style sheet, escaped or literal.

    >>> [
    ...     hex(code)
    ...     for code in sorted(
    ...         codes_in(r'a{content:"\\f06a"} b{content:"' + chr(0xF071) + '"}')
    ...     )
    ... ]
    ['0xf06a', '0xf071']
    """
    return {
        int(escaped, 16) if escaped else ord(literal)
        for escaped, literal in PRIVATE_CODE.findall(css)
    }


def cut(font: Path, codes: set[int], target: Path) -> bool:
    """Write a font's subset; return whether the font has any of the characters.

    If it has none, nothing is written.
    """
    options = subset.Options(
        flavor="woff", drop_tables=[*subset.Options().drop_tables, "GSUB"]
    )
    with subset.load_font(str(font), options) as subset_font:
        present = codes & set(subset_font.getBestCmap())
        if present:
            tool = subset.Subsetter(options)
            tool.populate(unicodes=present)
            tool.subset(subset_font)
            subset.save_font(subset_font, str(target), options)
    return bool(present)


def write_icons(app: Sphinx, error: Exception | None) -> None:
    """Write ``icons.css`` with its fonts, and delete the theme's copy of
    Font Awesome.
    """
    if error is not None or app.builder.format != "html":
        return
    logging.getLogger("fontTools").setLevel(logging.WARNING)  # it tells of each step
    static = Path(app.outdir) / "_static"
    sheet = next((static / "vendor" / "fontawesome").glob("*/css/all.min.css"), None)
    if sheet is None:  # the theme for Sphinx 9 brings only the icons that it uses
        return
    vendor = sheet.parents[1]
    written = [
        *Path(app.outdir).rglob("*.html"),
        *static.glob("*.js"),
        *static.glob("scripts/*.js"),
    ]
    names = set(
        ICON_NAME.findall(
            " ".join(path.read_text(encoding="utf-8") for path in written)
        )
    )
    # the bare form: the licence's comment and the faces, whose files are not kept, are
    # left out
    rules = kept_rules(
        re.sub(
            r"/\*.*?\*/|@font-face\{[^}]*\}", "", sheet.read_text(), flags=re.DOTALL
        ),
        names,
    )
    sheets = rules + " ".join(
        path.read_text(encoding="utf-8")
        for path in static.rglob("*.css")
        if vendor not in path.parents
    )
    codes = codes_in(sheets)
    folder = static / "icons"
    folder.mkdir(exist_ok=True)
    faces = [
        f'@font-face{{font-family:"{family}";font-weight:{weight};'
        f"font-display:block;src:url(../icons/{name}.woff)}}"
        for name, (family, weight) in FONTS.items()
        if cut(vendor / "webfonts" / f"fa-{name}.ttf", codes, folder / f"{name}.woff")
    ]
    credit = (
        "/* Font Awesome Free 6, fontawesome.com: icons CC BY 4.0, fonts SIL OFL 1.1,"
        " code MIT */"
    )
    basic = (static / "basic.css").read_text(encoding="utf-8")
    (static / "styles" / "theme.css").write_text(
        "\n".join([basic, credit, *faces, rules]) + "\n", encoding="utf-8"
    )
    shutil.rmtree(static / "vendor" / "fontawesome")


def add_filter(app: Sphinx) -> None:
    """Add ``without`` to the filters of the templates."""
    templates: Any = getattr(app.builder, "templates", None)
    if templates is not None:
        templates.environment.filters["without"] = without


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    app.connect("builder-inited", add_filter)
    app.connect("build-finished", write_icons)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
