"""Vega, Vega-Lite and Vega-Embed in one file, from the wheel of vl-convert.

The authors of Vega-Lite publish that wheel with matching versions of the three; it bundles them offline. The file is
cached in the project's ``_build/runtime``.
"""

import os
from importlib.metadata import version
from pathlib import Path

from companion.errors import CompanionError

CARRIER = "vl-convert-python"
VEGA_LITE = "6.4"
OWNERS = "BSD-3-Clause, University of Washington Interactive Data Lab and contributors; github.com/vega"


class NoGrammar(CompanionError):
    """The Vega bundle cannot be built."""


def bundled(root: Path) -> Path:
    """Return the path of the bundle, built if not cached, or raise NoGrammar."""
    try:
        import vl_convert
    except ImportError as error:
        raise NoGrammar(f"{CARRIER}, which carries Vega-Lite, cannot be imported: {error}") from error
    path = root / "_build" / "runtime" / f"vega-lite-{VEGA_LITE}-of-{CARRIER}-{version(CARRIER)}.mjs"
    if not path.exists():
        try:
            code = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", VEGA_LITE)
        except ValueError as error:
            raise NoGrammar(f"{CARRIER} {version(CARRIER)} does not bundle: {error}") from error
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}")
        vega, embed = vl_convert.get_vega_version(), vl_convert.get_vega_embed_version()
        said = f"/* Vega {vega}, Vega-Lite {VEGA_LITE}, Vega-Embed {embed}: {OWNERS} */"
        part.write_text(f"{said}\n{code}", encoding="utf-8")
        part.rename(path)
    return path
