// A reader's own table: chosen or dropped, audited by the library in the worker; it never leaves the machine.
import { engine } from "./engine.mjs";
import { styled } from "./style.mjs";

const HTML = `
  <h2>Your table, in your browser</h2>
  <p>The page starts with a table of made-up patients. Choose a CSV file of yours (.csv, .tsv, or either with .gz), or drop it here. It is read by this page and sent nowhere.</p>
  <p><input type="file" accept=".csv,.tsv,.gz,text/csv" aria-label="Your table, a CSV file"></p>
  <form hidden>
  <div class="companion-form">
    <label>sensitive column<select name="secret" data-looks></select><small>is not published</small></label>
    <label>column to publish<select name="public" data-looks></select></label>
  </div>
  <div class="lift-seen"></div>
  <h3>What do you promise?</h3>
  <p>Nobody’s belief of <input name="belief" type="number" min="0" max="100" step="any" value="10" aria-label="belief before, per cent" data-looks>&nbsp;% may become more than <input name="at_most" type="number" min="0" max="100" step="any" value="20" aria-label="belief after, per cent" data-looks>&nbsp;%,
    for somebody who knows how common each value is.</p>
  <details><summary>All settings</summary><div class="companion-form">
    <label><code>bins</code><input name="edges" type="text"><small>edges of the bins of a numeric public column, separated by commas; empty for none</small></label>
    <label><code>missing</code><input name="na" type="text"><small>texts that mean a missing value, separated by commas</small></label>
    <label><code>missing values</code><select name="policy"><option value="refuse">refuse</option><option value="symbol">treat as a symbol</option></select><small>such as empty fields</small></label>
    <label><code>numbers</code><select name="codes"><option value="">are numbers</option><option value="1">are codes, such as postcodes</option></select><small>in both columns</small></label>
  </div></details>
  </form>
  <p class="companion-buttons" hidden>
    <button type="button" data-do="audit">Audit the column as it is</button>
    <button type="button" data-do="release" class="companion-go">Release the column</button>
    <button type="button" data-do="halt" disabled>Stop</button>
    <button type="button" data-do="save" disabled>Download the report</button>
  </p>
  <p class="companion-state"><span role="status"></span></p>
  <p class="companion-wrong" role="alert"></p>
  <div class="lift-outcome"></div>`;

const NAMES = {
  min_lift_leakage: "min-lift leakage, nats",
  max_lift_leakage: "max-lift leakage, nats",
  ldp: "LDP with respect to the secret, nats",
  secret_information: "mutual information I(S;Y), nats",
  total_variation: "total variation distance T(S;Y)",
  chi2_divergence: "chi-square divergence",
  maximal_leakage: "maximal leakage, nats",
};
const number = (value) =>
  value === "infinity" ? "∞" : typeof value === "number" ? String(Number(value.toPrecision(4))) : value;
const listed = (text) => text.split(",").map((one) => one.trim()).filter(Boolean);

const tableOf = (head, rows) => {
  const table = document.createElement("table");
  table.className = "table";
  const line = (cells, tag) => {
    const row = document.createElement("tr");
    for (const cell of cells) {
      const one = document.createElement(tag);
      one.textContent = cell;
      row.append(one);
    }
    return row;
  };
  table.createTHead().append(line(head, "th"));
  table.createTBody().append(...rows.map((row) => line(row, "td")));
  return table;
};

const paragraph = (text) => {
  const made = document.createElement("p");
  made.textContent = text;
  return made;
};

// to the reader's own disk
const give = (name, text) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};

class Desk {
  constructor(box) {
    this.box = box;
    this.asking = this.working = 0;
    box.innerHTML = HTML;
    this.form = box.querySelector("form");
    const file = box.querySelector("input[type=file]");
    file.addEventListener("change", () => file.files[0] && this.open(file.files[0]));
    box.addEventListener("dragover", (event) => event.preventDefault());
    box.addEventListener("drop", (event) => {
      event.preventDefault();
      if (event.dataTransfer.files[0]) this.open(event.dataTransfer.files[0]);
    });
    box.addEventListener("click", ({ target }) => this[target.dataset?.do]?.());
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("change", ({ target }) => {
      if ("looks" in target.dataset) this.look();
    });
    this.#example();
  }

  #say(text) {
    this.box.querySelector("[role=status]").textContent = text;
  }

  #wrong(text) {
    this.box.querySelector("[role=alert]").textContent = text;
  }

  // A picture disables no button: it begins when a field loses the focus to the button that is being pressed.
  async #ask(name, asked, words) {
    const works = name !== "look";
    this.#wrong("");
    this.asking += 1;
    this.working += works;
    this.#busy();
    this.#say(words);
    try {
      const answer = await engine.call(name, asked, ({ phase }) => phase && this.#say(`Loading ${phase}.`));
      if (!answer.refused) return answer;
      this.#wrong(answer.refused);
    } catch (error) {
      this.#wrong(error.message);
      this.lost = true;
    } finally {
      this.asking -= 1;
      this.working -= works;
      this.#busy();
      if (!this.asking) this.#say("");
    }
  }

  #busy() {
    for (const one of this.box.querySelectorAll("[data-do]:not([data-do=halt], [data-do=save])")) one.disabled = this.working > 0;
    this.box.querySelector("[data-do=halt]").disabled = !this.asking;
  }

  async #example() {
    const answer = await this.#ask("open_example", {}, "Reading the example.");
    if (!this.file) this.#opened("patients.csv", answer, ["diagnosis", "age_band"]);
  }

  async open(file) {
    this.file = file;
    this.lost = false;
    this.#opened(file.name, await this.#ask("open_table", { bytes: await file.arrayBuffer(), name: file.name }, "Reading the table."));
  }

  // of a reader's own table no column is taken for the secret: they choose
  #opened(name, answer, chosen = []) {
    this.name = name;
    for (const one of ["outcome", "seen"]) this.box.querySelector(`.lift-${one}`).replaceChildren();
    for (const one of [this.form, this.box.querySelector(".companion-buttons")]) one.hidden = !answer;
    if (!answer) return;
    for (const [at, part] of ["secret", "public"].entries()) {
      const select = this.form.elements[part];
      const none = new Option("choose a column", "");
      select.replaceChildren(none, ...answer.columns.map((column) => new Option(column, column)));
      select.value = chosen[at] ?? "";
    }
    this.look();
  }

  #question() {
    const [belief, at_most] = ["belief", "at_most"].map((name) => this.#number(name, 0, 100) / 100);
    return { ...this.#asked(), belief, at_most };
  }

  // asks once the form is right, and once a stopped worker has the table again
  async #askOf(name, form, words) {
    let asked;
    try {
      asked = form();
    } catch (error) {
      return this.#wrong(error.message);
    }
    await this.#ready();
    return this.#ask(name, asked, words);
  }

  async look() {
    const { secret, public: published } = this.form.elements;
    if (!secret.value || !published.value) return this.box.querySelector(".lift-seen").replaceChildren();
    const found = await this.#askOf("look", () => this.#question(), "Drawing the table.");
    const seen = this.box.querySelector(".lift-seen");
    if (!found) return seen.replaceChildren();
    const shown = this.form.elements.public.value;
    const pictures = [
      [found.map, `Lifts of each value of ${shown}, the riskiest first: orange raises the belief in a sensitive value, purple lowers it.`],
      [found.plane, `Each value of ${shown} in the plane of the least and the largest lift, with the square that LIP allows for your promise. Under LIP, values outside it cannot be published unchanged.`],
    ].map(([drawn, words]) => {
      const figure = document.createElement("figure");
      const image = document.createElement("img");
      image.src = `data:image/svg+xml,${encodeURIComponent(drawn)}`;
      image.alt = "";
      figure.append(image, Object.assign(document.createElement("figcaption"), { textContent: words }));
      return figure;
    });
    seen.replaceChildren(
      paragraph(`${this.name}: ${found.rows.toLocaleString("en")} rows. The riskiest value is ${found.symbol}: it multiplies the belief in ${found.most} by ${number(found.high)} and that in ${found.least} by ${number(found.low)}.`),
      ...pictures,
    );
  }

  #asked() {
    const { secret, public: shown, edges, na, policy, codes } = this.form.elements;
    if (!secret.value || !shown.value) throw new Error("choose the sensitive column and the column to publish");
    const common = { categorical: codes.value === "1", na: na.value.trim() ? listed(na.value) : null };
    const numbers = listed(edges.value).map(Number);
    if (numbers.some(Number.isNaN)) throw new Error("bins: give numbers separated by commas");
    return {
      secret: [{ name: secret.value, ...common }],
      public: [{ name: shown.value, ...common, edges: numbers }],
      missing: policy.value,
    };
  }

  #number(name, low, high) {
    const text = this.form.elements[name].value;
    const value = Number(text);
    if (text === "" || !(value >= low && value <= high)) throw new Error(`${name}: give a number in [${low}, ${high}]`);
    return value;
  }

  // what a stopped worker forgot is given to it again
  async #ready() {
    if (!this.lost) return;
    if (this.file) await engine.call("open_table", { bytes: await this.file.arrayBuffer(), name: this.file.name });
    else await engine.call("open_example", {});
    this.lost = false;
  }

  async audit() {
    const form = () => ({ ...this.#question(), resamples: 200, seed: 0 });
    const answer = await this.#askOf("audit", form, "Counting, and drawing 200 bootstrap samples.");
    if (answer) this.#show(answer);
  }

  #show({ audit, page }) {
    this.page = page;
    const words = { true: "satisfies", false: "violates" }[audit.kept];
    const ends = (name) => (audit.intervals[name] ? audit.intervals[name].map(number).join(" to ") : "");
    const out = this.box.querySelector(".lift-outcome");
    out.replaceChildren(
      paragraph(`${audit.rows.toLocaleString("en")} rows. Publishing ${audit.public} unchanged ${words} ${audit.notion} for these rows. For the population: ${audit.population ?? "not available for this notion"}.`),
      tableOf(
        ["measure", "value", "interval"],
        Object.entries(audit.overall).filter(([name]) => NAMES[name]).map(([name, value]) => [NAMES[name], number(value), ends(name)]),
      ),
      tableOf(
        ["symbol", "rows", "min-lift", "max-lift", "never occurs with"],
        audit.symbols.slice(0, 20).map((one) => [one.symbol, number(one.rows), number(one.min_lift), number(one.max_lift), one.zero_cells.join(", ")]),
      ),
      ...audit.notes.map((note) => paragraph(`Note: ${note}.`)),
    );
    this.box.dataset.audits = Number(this.box.dataset.audits ?? 0) + 1;
    this.box.querySelector("[data-do=save]").disabled = false;
  }

  async release() {
    const form = () => ({ ...this.#question(), seed: null });
    const done = await this.#askOf("release", form, "Designing the release, auditing it, and drawing a value for each row.");
    if (!done) return;
    const out = this.box.querySelector(".lift-outcome");
    const titled = (title, items) => {
      const list = document.createElement("ul");
      for (const item of items) list.append(Object.assign(document.createElement("li"), { textContent: item }));
      return [Object.assign(document.createElement("h3"), { textContent: title }), list];
    };
    const of = (files) => {
      const list = document.createElement("p");
      list.className = "companion-buttons";
      for (const file of files) list.append(this.#button(file.name, () => give(file.name, file.text)));
      return list;
    };
    out.replaceChildren(
      ...Object.entries(done.sections).flatMap(([title, sentences]) => titled(title, sentences)),
      paragraph("For publication, together:"),
      of(done.files.filter((file) => !file.private)),
      paragraph("Confidential, because they contain the counts of the table:"),
      of(done.files.filter((file) => file.private)),
      ...done.notes.map((note) => paragraph(`Note: ${note}.`)),
      paragraph("Release these rows once. This page knows of no earlier release and, when it is loaded again, has a new key: the same rows then get other noise, and whoever has both releases learns more than the card says."),
      paragraph(`The command on your machine keeps its key and a record: ${done.command}`),
    );
    this.box.dataset.released = Number(this.box.dataset.released ?? 0) + 1;
  }

  #button(text, pressed) {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: text });
    button.addEventListener("click", pressed);
    return button;
  }

  halt() {
    engine.stop();
  }

  save() {
    give(`${this.name.replace(/\W+/g, "-")}-audit.html`, this.page);
  }
}

export const openTool = (after) => {
  styled();
  const box = document.createElement("section");
  box.className = "companion-panel lift-desk";
  box.setAttribute("aria-label", "Your table, in your browser");
  after.after(box);
  return new Desk(box);
};
