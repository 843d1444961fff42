// The search page: a question finds the word that it asks about, and an excerpt is a paragraph of prose, never code.
"use strict";

(() => {
  const ASKING = new Set(
    "a an and are define definition do does explain how is mean meaning means of the what what's which who why".split(" "),
  );
  const HIDDEN = ".headerlink, script, style, pre, table, figure, .toctree-wrapper";
  const LETTERS = {
    alpha: "α", beta: "β", chi: "χ", delta: "δ", Delta: "Δ", ell: "ℓ", epsilon: "ε", varepsilon: "ε", Gamma: "Γ",
    lambda: "λ", Lambda: "Λ", mu: "μ", omega: "ω", Omega: "Ω", Phi: "Φ", Pi: "Π", Psi: "Ψ", rho: "ρ", sigma: "σ", tau: "τ",
    cdot: "·", dots: "…", ge: "≥", geq: "≥", in: "∈", infty: "∞", le: "≤", leq: "≤", lceil: "⌈", lfloor: "⌊", log: " log ",
    max: " max ", mid: "|", min: " min ", ne: "≠", rceil: "⌉", rfloor: "⌋", sum: "Σ", times: "×", to: "→",
  };
  const LONGEST = 240;

  // Definitions come before chapters, chapters before the library's functions
  Object.assign(Scorer, { objNameMatch: 8, objPartialMatch: 1, objPrio: { 0: 2, 1: 0, 2: -5 } });

  /** The words that a question is about: "what is lift?" is about "lift". */
  const asked = (query) => {
    const words = query.replace(/[?!"“”]/g, " ").split(/\s+/).filter(Boolean);
    return words.filter((word) => !ASKING.has(word.toLowerCase())).join(" ") || query;
  };

  /** TeX as a line of text. */
  const readable = (tex) =>
    tex
      .replace(/^\\[([]|\\[)\]]$/g, "")
      .replace(/\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}/g, "($1)/($2)")
      .replace(/([_^])\{([^{}]{2,})\}/g, "$1($2)")
      .replace(/\\([A-Za-z]+)\s*/g, (_, name) => LETTERS[name] ?? "")
      .replace(/[\\{}&]/g, "")
      .replace(/\s+/g, " ")
      .trim();

  /** The paragraphs of a page, or the meaning of the word that an anchor names. */
  const paragraphs = (html, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    page.querySelectorAll(HIDDEN).forEach((one) => one.remove());
    page.querySelectorAll(".math").forEach((one) => (one.textContent = readable(one.textContent)));
    const text = (one) => one.textContent.replace(/\s+/g, " ").trim();
    const named = anchor ? page.getElementById(anchor.slice(1)) : null;
    if (named?.tagName === "DT") return [`${text(named)}: ${text(named.nextElementSibling)}`];
    const place = named ?? page.querySelector("article") ?? page.body;
    return [...place.querySelectorAll("p, li")].map(text).filter(Boolean);
  };

  const query = Search.query;
  Search.query = (words) => query(asked(words));

  Search.makeSearchSummary = (html, keywords, anchor) => {
    const found = paragraphs(html, anchor);
    const words = [...keywords].map((word) => word.toLowerCase());
    const hits = (text) => words.filter((word) => text.toLowerCase().includes(word)).length;
    const best = found.reduce((one, other) => (hits(other) > hits(one) ? other : one), found[0] ?? "");
    const first = Math.min(...words.map((word) => best.toLowerCase().indexOf(word)).filter((at) => at > -1), best.length);
    // From the sentence's start where the word is near it, else from the start of a word before
    const start = first < LONGEST / 2 || first === best.length ? 0 : best.indexOf(" ", first - LONGEST / 2) + 1;
    const end = best.length <= start + LONGEST ? best.length : best.lastIndexOf(" ", start + LONGEST);
    const summary = document.createElement("p");
    summary.className = "context";
    summary.textContent = (start ? "… " : "") + best.slice(start, end) + (end < best.length ? " …" : "");
    return summary;
  };
})();
