// The search page: MiniSearch ranks sections, definitions and functions; without it, Sphinx's own search answers.
"use strict";

(() => {
  if (!window.searchWords) return;
  const { plain, words, asked, stem } = searchWords;
  const LONGEST = 240;
  // Definitions come before chapters, chapters before the library's functions
  const KINDS = { word: 1.5, page: 1.2, section: 1, row: 0.8, exercise: 0.5, function: 0.3 };
  const FIELDS = { title: 4, keywords: 4, where: 2, prose: 1, tables: 0.5 };
  // how much more a definition of just these words counts, or a part that lists them as a keyword; its square, where the
  // keyword is the whole question
  const EXACT = 3;
  // a title on so many pages says nothing about its page: "Exercises", "Rerun this chapter"
  const COMMON = 3;
  // what lists of functions and words are made of; other parts of such a page count less
  const LISTED = new Set(["function", "word"]);
  const MOST = 40;

  const listed = () => {
    const known = new Set();
    const learnt = (word) => {
      const term = stem(word);
      known.add(term);
      return term;
    };
    const index = new MiniSearch({
      fields: Object.keys(FIELDS),
      tokenize: words,
      processTerm: learnt,
      // a word that the book does not have may be misspelt
      searchOptions: { boost: FIELDS, tokenize: asked, processTerm: stem, fuzzy: (term) => !known.has(term) && 0.2 },
    });
    index.addAll(
      searchSections.map(([, , , title, where, prose, tables, keywords], id) => ({
        id, title: plain(title), where, prose: plain(prose), tables: plain(tables), keywords,
      })),
    );
    return index;
  };

  /** How many sections have each title. */
  const counted = () => {
    const times = new Map();
    for (const [, , kind, title] of searchSections) {
      if (kind === "section") times.set(title, (times.get(title) ?? 0) + 1);
    }
    return times;
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
    // the first sentence of a glossary's entry is the definition
    const said = excerpt(plain(prose || tables), kind === "word" ? [] : hit.terms);
    summary.textContent = (kind === "word" ? `${title}: ` : "") + said;
    return item;
  };

  if (!window.MiniSearch || !window.searchSections) return;
  let index = null;
  let times = null;
  let lists = null;
  Search.query = (query) => {
    index ??= listed();
    times ??= counted();
    lists ??= new Set(searchSections.filter(([, , kind]) => LISTED.has(kind)).map(([page]) => page));
    const terms = new Set(asked(query).map(stem));
    const about = [...terms].join(" ");
    const whole = words(query).map(stem).join(" ");
    const exact = (kind, name, keywords) => {
      const phrases = keywords.split(",");
      if (phrases.some((one) => words(one).map(stem).join(" ") === whole)) return EXACT * EXACT;
      const named = phrases.map((one) => asked(one).map(stem));
      if (kind === "word") named.push(words(plain(name)).map(stem));
      if (named.some((all) => all.join(" ") === about)) return EXACT;
      // the question has all words of a definition, or of a keyword of several words
      const has = (all) => kind !== "row" && (all.length > 1 || kind === "word") && all.every((word) => terms.has(word));
      return named.some((all) => all.length && has(all)) ? EXACT / 2 : 1;
    };
    const weightOf = ([page, , kind, title]) =>
      KINDS[kind] / (!LISTED.has(kind) && lists.has(page) ? 2 : 1) / (times.get(title) > COMMON ? 2 : 1);
    const hits = index.search(query, { boostDocument: (id) => weightOf(searchSections[id]) });
    // a section with all the words comes before one that has some of them often
    for (const hit of hits) {
      const share = hit.queryTerms.length / terms.size;
      const [, , kind, name, , , , keywords] = searchSections[hit.id];
      hit.score *= share * share * exact(kind, name, keywords);
    }
    hits.sort((one, other) => other.score - one.score);
    const most = hits.slice(0, MOST);
    document.getElementById("search-progress")?.replaceChildren();
    Search.output.replaceChildren(...most.map(shown));
    _finishSearch(most.length);
    // Sphinx counts pages
    if (hits.length > MOST) Search.status.textContent = `The best ${MOST} matches:`;
    else if (hits.length) Search.status.textContent = hits.length === 1 ? "One match:" : `${hits.length} matches:`;
  };
})();
