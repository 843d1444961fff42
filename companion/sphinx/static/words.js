// The words of a text and of a question, for the search and for filters of a page; Stemmer is Sphinx's.
"use strict";

(() => {
  const ASKING = new Set(
    (
      "a about an and any are as at be by can could define definition did do does explain find for from get has have how i if in is it " +
      "its me mean meaning means my need not of on or please should some such than that the them there these they this those to use used " +
      "using want was we were what what's when where which who why will with would you your"
    ).split(" "),
  );
  const SAME = { __proto__: null, alg: "algorithm", algo: "algorithm", attacker: "adversary", attackers: "adversary", def: "definition", fig: "figure", figs: "figure", prop: "proposition",
    sec: "section", thm: "theorem", vs: "versus", "ε": "epsilon", eps: "epsilon", "λ": "lambda", "α": "alpha" };
  const LETTERS = {
    alpha: "α", beta: "β", chi: "χ", delta: "δ", Delta: "Δ", ell: "ℓ", epsilon: "ε", varepsilon: "ε", eta: "η", gamma: "γ", Gamma: "Γ",
    lambda: "λ", Lambda: "Λ", mu: "μ", omega: "ω", Omega: "Ω", Phi: "Φ", Pi: "Π", Psi: "Ψ", rho: "ρ", sigma: "σ", tau: "τ", theta: "θ", varphi: "φ",
    cdot: "·", dots: "…", ge: "≥", geq: "≥", in: "∈", infty: "∞", le: "≤", leq: "≤", lceil: "⌈", lfloor: "⌊", log: " log ",
    max: " max ", mid: "|", min: " min ", ne: "≠", rceil: "⌉", rfloor: "⌋", sum: "Σ", times: "×", to: "→",
    approx: "≈", cap: "∩", cup: "∪", emptyset: "∅", exp: " exp ", notin: "∉", pm: "±", prod: "Π", setminus: "∖", sqrt: "√", subset: "⊂", subseteq: "⊆",
  };

  /** TeX as a line of text. */
  const readable = (tex) =>
    tex
      .replace(/\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}/g, "($1)/($2)")
      .replace(/\\(begin|end)\s*\{\w+\}/g, "")
      .replace(/([_^])\{([^{}]{2,})\}/g, "$1($2)")
      .replace(/\\([A-Za-z]+)\s*/g, (_, name) => LETTERS[name] ?? "")
      .replace(/[\\{}&]/g, "")
      .replace(/\s+/g, " ")
      .trim();

  const plain = (text) => text.replace(/\\\((.*?)\\\)/g, (_, tex) => readable(tex));

  /** One spelling for "randomized" and "randomised". */
  const spelt = (word) => word.replace(/(?<=\p{L}{3})z(?=(?:e|ed|er|es|ing|ations?)$)/u, "s");

  const singly = (text) => text.toLowerCase().split(/[^\p{L}\p{N}_]+/u).filter(Boolean).map((word) => SAME[word] ?? spelt(word));

  /** Words, and a name with its number as one: "Prop. 5" is also "proposition5". */
  const words = (text) => {
    const single = singly(text);
    return single.concat(single.flatMap((word, at) => (/^\d+$/.test(word) && at ? [single[at - 1] + word] : [])));
  };

  /** What a question is about: "what is lift?" is about "lift". */
  const asked = (query, read = words) => {
    const all = read(query);
    const about = all.filter((word) => !ASKING.has(word));
    return about.length ? about : all;
  };

  const stemmer = new Stemmer();
  const stem = (word) => (word.length > 2 ? stemmer.stemWord(word) : word);

  window.searchWords = { plain, singly, words, asked, stem };
})();
