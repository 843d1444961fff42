// Lets a reader sort a table of the class "sortable" by any column; without a script the table stands as it was made.
(() => {
  const valueOf = (cell) => {
    const text = cell.textContent.trim();
    return text === "" ? null : Number.isNaN(Number(text)) ? text : Number(text);
  };

  const sort = (table, heads, at) => {
    const rows = [...table.tBodies[0].rows].map((row) => [valueOf(row.cells[at]), row]);
    const numbers = rows.every(([value]) => value === null || typeof value === "number");
    const now = heads[at].getAttribute("aria-sort");
    // numbers begin with the largest, words with the first of the alphabet
    const first = numbers ? "descending" : "ascending";
    const way = now === null ? first : now === "ascending" ? "descending" : "ascending";
    const sign = way === "ascending" ? 1 : -1;
    const compare = ([a], [b]) => {
      if (a === null || b === null) return (a === null) - (b === null); // a gap is last either way
      return sign * (numbers ? a - b : String(a).localeCompare(String(b)));
    };
    heads.forEach((head) => head.removeAttribute("aria-sort"));
    heads[at].setAttribute("aria-sort", way);
    table.tBodies[0].append(...rows.sort(compare).map(([, row]) => row));
  };

  const enhance = (table) => {
    if (!table.tHead || !table.tBodies.length) return;
    const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
    heads.forEach((head, at) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      button.title = "Sort by this column";
      button.addEventListener("click", () => sort(table, heads, at));
      head.scope = "col";
      head.replaceChildren(button);
    });
  };

  const begin = () => document.querySelectorAll("table.sortable").forEach(enhance);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
  else begin();
})();
