// Where a cell's results belong on the page, the book's own kept aside to be put back.
const make = (tag, className, text) => {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
};

export const cellAt = (index) => document.querySelector(`.companion-cell-${index}`);
const numbers = () => [...document.querySelectorAll("[data-glue]")];

// a text whose terminal colours are left out
const plain = (text) => {
  const box = make("div", "output stream highlight-none notranslate");
  const inner = make("div", "highlight");
  inner.append(make("pre", "", text));
  box.append(inner);
  return box;
};

const urls = new Map();
const addressOf = (index, file) => {
  const url = URL.createObjectURL(file);
  if (!urls.has(index)) urls.set(index, []);
  urls.get(index).push(url);
  return url;
};
const forget = (index) => {
  for (const url of urls.get(index) ?? []) URL.revokeObjectURL(url);
  urls.delete(index);
};

const drawn = (index, content, alt) => {
  const url = addressOf(index, content["image/svg+xml"]);
  const rows = content.rows ? addressOf(index, content.rows) : "";
  const box = make("div");
  const said = make("i", "", `${alt} Drawn again with other parameters.`.trim()).innerHTML.replaceAll('"', "&quot;");
  box.innerHTML = content.drawing
    ? content.drawing.replaceAll("COMPANION-SOURCE", url).replace("COMPANION-ROWS", rows).replaceAll("COMPANION-ALT", () => said)
    : `<img src="${url}" alt="${said}">`;
  return box.firstElementChild;
};

const shown = (index, content, alt) => {
  if ("stream" in content) return plain(content.stream);
  if ("image/svg+xml" in content) return drawn(index, content, alt);
  if ("text/html" in content) {
    const box = make("div", "output text_html");
    box.innerHTML = content["text/html"];
    return box;
  }
  if ("image/png" in content) {
    const image = make("img");
    image.src = `data:image/png;base64,${content["image/png"]}`;
    image.alt = alt;
    return image;
  }
  return plain(content["text/plain"] ?? content["text/markdown"] ?? "");
};

const told = (error) => {
  const box = make("div", error.absent ? "companion-absent" : "companion-error");
  box.setAttribute("role", error.absent ? "note" : "alert");
  if (error.absent) {
    box.append(make("p", "", `Not run here: ${error.says}. What stands below is the book's.`));
    return box;
  }
  const where = error.line ? `line ${error.line}: ` : "";
  box.append(make("p", "", `${where}${error.name}${error.says ? `: ${error.says}` : ""}`));
  const details = make("details");
  details.append(make("summary", "", "Where it came from"), make("pre", "", error.trace));
  box.append(details);
  return box;
};

// what is shown only once the cell has run again
export const putBack = (index) => {
  const cell = cellAt(index);
  if (!cell) return;
  cell.querySelectorAll(".companion-mine, .companion-absent").forEach((one) => one.remove());
  cell.querySelectorAll("[data-companion-book]").forEach((one) => {
    one.hidden = false;
    delete one.dataset.companionBook;
  });
  cell.classList.remove("companion-running", "companion-theirs");
  forget(index);
};

export const mark = (index, running) => cellAt(index)?.classList.toggle("companion-running", running);

export const place = (index, { outputs, error }) => {
  const cell = cellAt(index);
  if (!cell) return;
  putBack(index);
  if (error?.absent) {
    cell.append(told(error));
    return;
  }
  const old = [...cell.querySelectorAll(".cell_output")].filter((one) => !one.closest(".companion-mine"));
  const figure = old.map((one) => one.querySelector("figure")).find(Boolean);
  const alt = figure?.querySelector("[role=img]")?.getAttribute("aria-label") ?? "";
  for (const one of old) {
    one.dataset.companionBook = "";
    one.hidden = true;
  }
  const box = make("div", "cell_output docutils container companion-mine");
  for (const content of outputs) {
    const one = shown(index, content, alt);
    if (figure && "image/svg+xml" in content) {
      const copy = make("figure", "align-default");
      copy.append(one);
      const caption = figure.querySelector("figcaption");
      if (caption) copy.append(caption.cloneNode(true));
      // a name stands once on a page
      copy.querySelectorAll("[id]").forEach((named) => named.removeAttribute("id"));
      box.append(copy);
    } else box.append(one);
  }
  if (error) box.append(told(error));
  if (box.childElementCount) {
    const place = old[0];
    if (place) place.before(box);
    else cell.append(box);
  }
  cell.classList.add("companion-theirs");
};

// writes numbers of a run in the text
export const placeNumbers = (glue) => {
  const found = new Map(glue.map(([key, form, text]) => [`${key}\n${form}`, text]));
  for (const span of numbers()) {
    const text = found.get(`${span.dataset.glue}\n${span.dataset.form}`);
    if (text === undefined) continue;
    span.dataset.book ??= span.textContent;
    const differs = text !== span.dataset.book;
    span.textContent = text;
    span.classList.toggle("companion-number", differs);
    if (differs) span.title = `the book: ${span.dataset.book}`;
    else span.removeAttribute("title");
  }
};

// how many numbers of the text come from runs, and how many of them differ from the book's
export const countNumbers = () => {
  const count = (selector) => document.querySelectorAll(selector).length;
  return { all: count("[data-book]"), changed: count(".companion-number") };
};

export const wantedNumbers = () => {
  const pairs = numbers().map((span) => [span.dataset.glue, span.dataset.form]);
  return [...new Map(pairs.map((pair) => [pair.join("\n"), pair])).values()];
};

// the rows of the book's figures, by the index of their cells: the curves behind those that are drawn here
export const rowsOfTheBook = async (cells) => {
  const found = {};
  await Promise.all(cells.map(async ({ index }) => {
    const drawings = cellAt(index)?.querySelectorAll(":not(.companion-mine) > figure .companion-drawing[data-rows]") ?? [];
    const answer = drawings.length === 1 ? await fetch(drawings[0].dataset.rows).catch(() => null) : null;
    if (answer?.ok) found[index] = await answer.text();
  }));
  return found;
};

export const reset = (cells) => {
  for (const { index } of cells) putBack(index);
  for (const span of document.querySelectorAll("[data-book]")) {
    span.textContent = span.dataset.book;
    delete span.dataset.book;
    span.classList.remove("companion-number");
    span.removeAttribute("title");
  }
};
