"""The style of the book on paper: what it leaves out is not in the PDF."""

import pytest

from companion.chromium import find_chromium
from companion.pdf import STYLE

BOX = "<style>p.box { box-shadow: 0 .2rem .5rem gray, 0 0 .06rem gray !important; }</style><p class='box'>Words.</p>"


@pytest.mark.skipif(find_chromium() is None, reason="no Chromium on this machine")
def test_shadows_are_not_printed_as_images(page):
    page.set_content(BOX)
    assert b"/Subtype /Image" in page.pdf(print_background=True)
    page.add_style_tag(content=STYLE)
    assert b"/Subtype /Image" not in page.pdf(print_background=True)
