// Filters and sorts the ledger's rows and the plot's points; a link to a row opens it, whatever is filtered.
// The query of the address sets filters, such as "?paper=E23&verdict=differs".
(() => {
  const form = document.getElementById("ledger-controls");
  const list = document.getElementById("ledger-list");
  if (!form || !list) return;
  const { singly, words, asked, stem } = window.searchWords;
  const rows = [...list.querySelectorAll("details.claim")];
  const points = new Map([...document.querySelectorAll("#ledger-plot a")].map((a) => [a.dataset.id, a]));
  const output = form.querySelector("output");
  const stems = (text) => new Set(words(text).flatMap((word) => [word, stem(word)]));
  const names = new Map(rows.map((row) => [row, stems(row.dataset.names)]));
  let texts = null; // read once somebody asks

  /** A row's text with blanks between its cells, which textContent would join: "Fig. 2aWatchdog". */
  const textOf = (row) => {
    const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
    const parts = [];
    while (walker.nextNode()) parts.push(walker.currentNode.data);
    return parts.join(" ");
  };

  const choices = [...form.querySelectorAll("select[data-filter]")].map((select) => select.dataset.filter);
  const value = (name) => form.querySelector(`[data-filter="${name}"]`).value;
  const chosen = (row) => choices.every((name) => !value(name) || row.dataset[name] === value(name));

  /** How many words of the question the row's names have; -1 if a word is nowhere in the row. */
  const score = (row, single, all) => {
    const has = (word) => names.get(row).has(word) || texts.get(row).has(word);
    const begins = (start) => [...names.get(row), ...texts.get(row)].some((word) => word.startsWith(start));
    // the last word may not be complete yet
    if (!single.every((word, at) => has(stem(word)) || (at === single.length - 1 && begins(word)))) return -1;
    return all.filter((word) => names.get(row).has(stem(word))).length;
  };

  const update = () => {
    const all = asked(value("text"));
    const single = asked(value("text"), singly);
    if (single.length) texts ??= new Map(rows.map((row) => [row, stems(textOf(row))]));
    const scores = new Map(rows.map((row) => [row, single.length ? score(row, single, all) : 0]));
    const by = form.querySelector("[data-sort]").value;
    const number = by === "order" || by === "off";
    const key = (row) => (number ? Number(row.dataset[by]) : row.dataset[by]);
    const way = by === "off" ? -1 : 1;
    const order = (row) => Number(row.dataset.order);
    rows.sort((a, b) => scores.get(b) - scores.get(a) || (key(a) < key(b) ? -way : key(a) > key(b) ? way : order(a) - order(b)));
    list.append(...rows);
    let count = 0;
    for (const row of rows) {
      row.hidden = !chosen(row) || scores.get(row) < 0;
      count += !row.hidden;
      const point = points.get(row.id);
      if (point) point.style.display = row.hidden ? "none" : "";
    }
    output.textContent = `${count} of ${rows.length}`;
  };

  const reveal = () => {
    const row = document.getElementById(decodeURIComponent(location.hash.slice(1)))?.closest("details.claim");
    if (!row) return;
    if (row.hidden) {
      form.reset();
      update();
    }
    row.open = true;
    row.scrollIntoView();
  };

  form.hidden = false;
  form.addEventListener("input", update);
  form.addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", reveal);
  for (const [name, wanted] of new URLSearchParams(location.search)) {
    const field = form.querySelector(`[data-filter="${CSS.escape(name)}"]`);
    if (field) field.value = wanted;
  }
  update();
  reveal();
})();
