// The search page: MiniSearch ranks sections, definitions and functions; without it, Sphinx's own search answers.
"use strict";

(() => {
  if (!window.searchWords) return;
  const { plain, words, asked, stem } = searchWords;
  const LONGEST = 240;
  // Definitions come before chapters, chapters before the library's functions
  const KINDS = { word: 1.5, page: 1.2, section: 1, row: 0.8, exercise: 0.5, function: 0.3 };
  const FIELDS = { title: 4, keywords: 4, where: 2, prose: 1, tables: 0.5 };
  // how much more a definition of just these words counts, or a page that lists them as a keyword
  const EXACT = 3;
  const MOST = 40;

  const listed = () => {
    const index = new MiniSearch({
      fields: Object.keys(FIELDS),
      tokenize: words,
      processTerm: stem,
      searchOptions: { boost: FIELDS, tokenize: asked },
    });
    index.addAll(
      searchSections.map(([, , , title, where, prose, tables, keywords], id) => ({
        id, title: plain(title), where, prose: plain(prose), tables: plain(tables), keywords,
      })),
    );
    return index;
  };

  /** The part of a text with most of the words, from the start of a sentence if one is near. */
  const excerpt = (text, terms) => {
    const sentences = text.split(/(?<=[.?!]) (?=\p{Lu})/u);
    const hits = (sentence) => terms.filter((term) => words(sentence).map(stem).includes(term)).length;
    const counts = sentences.map(hits);
    const best = counts.indexOf(Math.max(...counts));
    const rest = sentences.slice(best).join(" ");
    const end = rest.length <= LONGEST ? rest.length : rest.lastIndexOf(" ", LONGEST);
    return (best ? "… " : "") + rest.slice(0, end) + (end < rest.length ? " …" : "");
  };

  const shown = (hit) => {
    const [page, anchor, kind, title, where, prose, tables] = searchSections[hit.id];
    const item = document.createElement("li");
    const link = item.appendChild(document.createElement("a"));
    link.href = page + DOCUMENTATION_OPTIONS.LINK_SUFFIX + anchor;
    link.textContent = plain(title);
    if (kind !== "page") item.append(` (${where})`);
    const summary = item.appendChild(document.createElement("p"));
    summary.className = "context";
    summary.textContent = (kind === "word" ? `${title}: ` : "") + excerpt(plain(prose || tables), hit.terms);
    return item;
  };

  if (!window.MiniSearch || !window.searchSections) return;
  let index = null;
  Search.query = (query) => {
    index ??= listed();
    const about = new Set(asked(query).map(stem));
    const phrase = [...about].join(" ");
    const asKeyword = (keywords) => keywords.split(",").some((one) => asked(one).map(stem).join(" ") === phrase);
    const hits = index.search(query, {
      boostDocument: (id) => KINDS[searchSections[id][2]],
    });
    // a section with all the words comes before one that has some of them often
    for (const hit of hits) {
      const share = hit.queryTerms.length / about.size;
      const [, , kind, name, , , , keywords] = searchSections[hit.id];
      const title = words(plain(name)).map(stem).join(" ");
      const isDefinition = kind === "word" && title === phrase;
      hit.score *= share * share * (isDefinition || asKeyword(keywords) ? EXACT : 1);
    }
    hits.sort((one, other) => other.score - one.score);
    const most = hits.slice(0, MOST);
    document.getElementById("search-progress")?.replaceChildren();
    Search.output.replaceChildren(...most.map(shown));
    _finishSearch(most.length);
  };
})();
