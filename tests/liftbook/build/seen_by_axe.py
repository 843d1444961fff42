"""What axe-core finds on a page, without looking at everything."""

from functools import cache
from importlib.resources import files

# Colours cost axe more than all else together, and depend on how a text and what is
# behind it look: of texts that look alike in both themes the first five are looked at,
# and so are the first five of links that look alike among words.
ALIKE = """() => {
    const root = document.documentElement, was = root.dataset.theme;
    const text = [...document.body.querySelectorAll('*')].filter(e =>
        !e.closest('mjx-container')
        && [...e.childNodes].some(c => c.nodeType === 3 && c.data.trim()));
    const block = e => {
        while (getComputedStyle(e).display.startsWith('inline')) e = e.parentElement;
        return e };
    const links = [...document.querySelectorAll('a, [role=link]')]
        .map(e => [e, block(e.parentElement)])
        .filter(([e, around]) => around.textContent.trim() !== e.textContent.trim());
    const looks = text.map(() => ''), lines = links.map(() => '');
    for (const theme of ['light', 'dark']) {
        root.dataset.theme = theme;
        const known = new Map([[null, '']]);
        const behind = e => { if (!known.has(e)) {
            const s = getComputedStyle(e);
            const lifted = !['static', 'relative'].includes(s.position);
            const own = [s.backgroundColor, s.backgroundImage, s.opacity, s.filter];
            known.set(e, behind(e.parentElement) + own.join()
                + (lifted ? e.className : '')) }
            return known.get(e) };
        const look = e => { const s = getComputedStyle(e);
            return [s.color, s.fontSize, s.fontWeight, s.textShadow, s.visibility,
                behind(e)].join(';') };
        const line = e => { const s = getComputedStyle(e);
            return [s.textDecorationLine, s.borderBottom, s.fontStyle, s.fontFamily,
                look(e)].join(';') };
        text.forEach((e, at) => { looks[at] += look(e) });
        links.forEach(([e, around], at) => { lines[at] += line(e) + line(around) }) }
    root.dataset.theme = was;
    const first = (all, looks, mark) => { const seen = new Map();
        all.forEach((e, at) => { const times = seen.get(looks[at]) || 0;
            seen.set(looks[at], times + 1);
            if (times < 5) e.dataset[mark] = '' });
        return seen.size };
    first(links.map(([e]) => e), lines, 'lookedLink');
    return first(text, looks, 'looked') }"""

# Most of a page's elements are insides of equations, which axe is told to leave out,
# and words in a style of their own, in which it can find nothing but bad colours: it
# takes its time for each, so they are texts while it looks for else. For colours whole
# rows of a list, the ledger's, are left out if nothing in them is looked at.
RUN = """async ([theme, within, colours]) => {
    const root = document.documentElement, was = root.dataset.theme, put = [];
    const replace = (e, by) => { put.push(() => by.replaceWith(e)); e.replaceWith(by) };
    const bare = e => ['span', 'em', 'strong', 'code'].includes(e.localName)
        && [...e.attributes].every(one => one.name === 'class')
        && [...e.children].every(bare);
    for (const e of document.querySelectorAll('mjx-container')) {
        const inside = [...e.childNodes];
        put.push(() => e.replaceChildren(...inside));
        e.replaceChildren('x') }
    // found before the first is replaced: what is visible is computed anew after each
    const all = [...document.querySelectorAll('span, em, strong, code')];
    const styled = colours ? [] : all.filter(e => e.textContent.trim()
        && (e.closest('pre') || e.checkVisibility({visibilityProperty: true}))
        && e.parentElement !== document.body && bare(e));
    for (const e of styled)
        if (e.isConnected) replace(e, document.createTextNode(e.textContent));
    if (colours) for (const e of document.querySelectorAll('details.claim'))
        if (!e.querySelector('[data-looked], [data-looked-link]'))
            replace(e, document.createComment('alike'));
    root.dataset.theme = theme;
    axe.configure({rules: [{id: 'color-contrast', selector: '[data-looked]'},
        {id: 'link-in-text-block', selector: '[data-looked-link]'}]});
    const some = ['color-contrast', 'link-in-text-block'];
    const off = Object.fromEntries(some.map(id => [id, {enabled: false}]));
    const which = colours ? {runOnly: some} : {rules: off};
    const made = await axe.run({include: within, exclude: ['mjx-container']},
        {resultTypes: ['violations'], preload: false, ...which});
    for (const back of put.reverse()) back();
    root.dataset.theme = was;
    return made.violations.map(one =>
        [one.id, ...one.nodes.slice(0, 3).map(node => node.html.slice(0, 200))]) }"""


# colours that fade from one theme to the other would be looked at on their way
AT_ONCE = "*, ::before, ::after { transition: none !important }"


@cache
def axe():
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


def barriers(page, theme, *, within="html", structure=True, colours=True):
    """Return what axe-core finds."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe())
        page.add_style_tag(content=AT_ONCE)
    found = page.evaluate(RUN, [theme, [within], False]) if structure else []
    if colours:
        assert page.evaluate(ALIKE) > 5
        found += page.evaluate(RUN, [theme, [within], True])
    return found
