// A reader's own table: chosen or dropped, audited by the library in the worker; it never leaves the machine.
import { engine } from "./engine.mjs";
import { styled } from "./style.mjs";

const HTML = `
  <h2>Your table, in your browser</h2>
  <p>Choose a CSV file (.csv, .tsv, or either with .gz), or drop it here. It is read by this page and sent nowhere.</p>
  <p><input type="file" accept=".csv,.tsv,.gz,text/csv" aria-label="Your table, a CSV file"></p>
  <form class="lift-form" hidden>
    <label><code>secret</code><select name="secret"></select><small>the sensitive column, not published</small></label>
    <label><code>public</code><select name="public"></select><small>the column to publish</small></label>
    <label><code>bins</code><input name="edges" type="text"><small>edges between which numbers of the public column are one symbol, with commas; empty for none</small></label>
    <label><code>missing</code><input name="na" type="text"><small>texts that stand for a missing value, with commas</small></label>
    <label><code>missing values</code><select name="policy"><option value="refuse">are refused</option><option value="symbol">are a symbol</option></select><small>an empty field is one</small></label>
    <label><code>numbers</code><select name="codes"><option value="">are numbers</option><option value="1">are codes, such as postcodes</option></select><small>of both columns</small></label>
    <label><code>notion</code><select name="notion"><option value="lip">LIP</option><option value="alip">ALIP, 65 % of twice the budget for the min-lift</option><option value="ldp">LDP, of twice the budget</option><option value="own">ALIP, with two budgets of your own</option></select><small>what to keep</small></label>
    <label><code>eps</code><input name="eps" type="number" min="0" max="50" step="any" value="1"><small>budget in nats, in [0, 50]</small></label>
    <label hidden><code>eps_l</code><input name="eps_l" type="number" min="0" max="50" step="any" value="1.3"><small>of the min-lift, nats, in [0, 50]</small></label>
    <label hidden><code>eps_u</code><input name="eps_u" type="number" min="0" max="50" step="any" value="0.7"><small>of the max-lift, nats, in [0, 50]</small></label>
    <label><code>mechanism</code><select name="mechanism"></select><small>of a release; “Try the mechanisms” says what each leaves</small></label>
    <label><code>kept for</code><select name="whom"><option value="population">the population that the rows are drawn from</option><option value="rows">these rows alone</option></select><small>of a release</small></label>
    <label><code>confidence</code><input name="confidence" type="number" min="0.5" max="0.9999" step="any" value="0.95"><small>for the population, in [0.5, 0.9999]</small></label>
    <label><code>rare symbols</code><select name="rare"><option value="error">are refused</option><option value="pool">are one symbol</option><option value="keep">are kept</option></select><small>of a release; those with fewer than 5 rows</small></label>
    <label><code>kernel</code><select name="kernel"><option value="">is left out where it could reveal the counts</option><option value="1">is on the card, for estimates</option></select><small>of a release</small></label>
  </form>
  <p class="lift-buttons" hidden>
    <button type="button" data-do="audit" class="lift-go">Audit</button>
    <button type="button" data-do="attempt">Try the mechanisms</button>
    <button type="button" data-do="release">Release the column</button>
    <button type="button" data-do="halt" disabled>Stop</button>
    <button type="button" data-do="save" disabled>Download the report</button>
  </p>
  <p class="lift-state"><span role="status"></span></p>
  <p class="lift-wrong" role="alert"></p>
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
    this.form.addEventListener("change", () => this.#fit());
  }

  // fields that say something of what is chosen
  #fit() {
    const { notion, eps, eps_l, eps_u, whom, confidence } = this.form.elements;
    const own = notion.value === "own";
    for (const [field, shown] of [[eps, !own], [eps_l, own], [eps_u, own], [confidence, whom.value === "population"]])
      field.closest("label").hidden = !shown;
  }

  #say(text) {
    this.box.querySelector("[role=status]").textContent = text;
  }

  #wrong(text) {
    this.box.querySelector("[role=alert]").textContent = text;
  }

  // one call at a time, with what it waits for in words
  async #ask(name, asked, words) {
    this.#wrong("");
    this.#busy(true);
    this.#say(words);
    try {
      const answer = await engine.call(name, asked, ({ phase }) => phase && this.#say(`Loading ${phase}.`));
      if (!answer.refused) return answer;
      this.#wrong(answer.refused);
    } catch (error) {
      this.#wrong(error.message);
      this.lost = true;
    } finally {
      this.#busy(false);
      this.#say("");
    }
  }

  #busy(busy) {
    for (const one of this.box.querySelectorAll("[data-do=audit], [data-do=attempt], [data-do=release]")) one.disabled = busy;
    this.box.querySelector("[data-do=halt]").disabled = !busy;
  }

  async open(file) {
    this.file = file;
    this.lost = false;
    this.box.querySelector(".lift-outcome").replaceChildren();
    const answer = await this.#ask("open_table", { bytes: await file.arrayBuffer(), name: file.name }, "Reading the table.");
    for (const one of [this.form, this.box.querySelector(".lift-buttons")]) one.hidden = !answer;
    if (!answer) return;
    for (const [at, name] of ["secret", "public"].entries()) {
      const select = this.form.elements[name];
      select.replaceChildren(...answer.columns.map((column) => new Option(column, column)));
      select.selectedIndex = Math.min(at, answer.columns.length - 1);
    }
    this.form.elements.mechanism.replaceChildren(...answer.mechanisms.map((name) => new Option(name, name)));
    this.form.elements.mechanism.value = "subset-merging";
    this.#say(`${file.name}: ${answer.columns.length} columns.`);
  }

  #asked() {
    const { secret, public: shown, edges, na, policy, codes } = this.form.elements;
    const common = { categorical: codes.value === "1", na: na.value.trim() ? listed(na.value) : null };
    const numbers = listed(edges.value).map(Number);
    if (numbers.some(Number.isNaN)) throw new Error("bins: give numbers with commas between");
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

  #notion() {
    const notion = this.form.elements.notion.value;
    if (notion === "own") return { notion: "alip", budgets: { eps_l: this.#number("eps_l", 0, 50), eps_u: this.#number("eps_u", 0, 50) } };
    const value = this.#number("eps", 0, 50);
    const budgets = { lip: { eps: value }, alip: { eps_l: 1.3 * value, eps_u: 0.7 * value }, ldp: { eps: 2 * value } };
    return { notion, budgets: budgets[notion], eps: value };
  }

  // what a stopped worker forgot is given to it again
  async #ready() {
    if (!this.lost) return;
    await engine.call("open_table", { bytes: await this.file.arrayBuffer(), name: this.file.name });
    this.lost = false;
  }

  async audit() {
    let asked;
    try {
      const { notion, budgets } = this.#notion();
      asked = { ...this.#asked(), notion, budgets, resamples: 200, seed: 0 };
    } catch (error) {
      return this.#wrong(error.message);
    }
    await this.#ready();
    const answer = await this.#ask("audit", asked, "Counting, and drawing the table again 200 times.");
    if (answer) this.#show(answer);
  }

  #show({ audit, page }) {
    this.page = page;
    const words = { true: "is kept", false: "is broken" }[audit.kept];
    const ends = (name) => (audit.intervals[name] ? audit.intervals[name].map(number).join(" to ") : "");
    const out = this.box.querySelector(".lift-outcome");
    out.replaceChildren(
      paragraph(`${audit.rows.toLocaleString("en")} rows. ${audit.notion} ${words} by publishing ${audit.public} as it is; for the population that the rows are from: ${audit.population ?? "nothing is known of this notion"}.`),
      tableOf(
        ["what it tells", "value", "interval"],
        Object.entries(audit.overall).filter(([name]) => NAMES[name]).map(([name, value]) => [NAMES[name], number(value), ends(name)]),
      ),
      tableOf(
        ["symbol", "rows", "min-lift", "max-lift", "never with"],
        audit.symbols.slice(0, 20).map((one) => [one.symbol, number(one.rows), number(one.min_lift), number(one.max_lift), one.zero_cells.join(", ")]),
      ),
      ...audit.notes.map((note) => paragraph(`Note: ${note}.`)),
    );
    this.box.dataset.audits = Number(this.box.dataset.audits ?? 0) + 1;
    this.box.querySelector("[data-do=save]").disabled = false;
  }

  async attempt() {
    let asked;
    try {
      const { notion, budgets, eps } = this.#notion();
      if (eps === undefined) throw new Error("mechanisms are tried at one budget: choose a notion that has one");
      asked = { ...this.#asked(), kind: notion, budgets, eps };
    } catch (error) {
      return this.#wrong(error.message);
    }
    await this.#ready();
    const served = await this.#ask("serving", asked, "Looking for mechanisms.");
    if (!served) return;
    const out = this.box.querySelector(".lift-outcome");
    const rows = [];
    for (const mechanism of served.mechanisms) {
      const told = await this.#ask("attempt", { ...asked, mechanism }, `Trying ${mechanism}.`);
      if (!told) return;
      rows.push([mechanism, told.problem ?? `${(100 * told.nmi).toFixed(1)} %`, told.problem ? "" : String(told.outputs)]);
      out.replaceChildren(
        tableOf(["mechanism", "share of the column’s information that is left", "outputs"], rows),
        paragraph(
          "Each is designed to keep the notion for the people that the table is a sample of, with confidence " +
            `${told.confidence ?? "95 %"}, as the command does.`,
        ),
        paragraph(`To publish the column: ${this.#command(asked, "MECHANISM")}`),
      );
    }
    this.box.dataset.tried = rows.length;
  }

  #command({ secret, public: shown, kind, budgets }, mechanism) {
    const budget = Object.entries(budgets).map(([name, value]) => `--${name.replace("_", "-")} ${Number(value.toPrecision(12))}`).join(" ");
    const quoted = (text) => `'${text.replaceAll("'", `'"'"'`)}'`;
    return `lift sanitise ${quoted(this.file.name)} --secret ${quoted(secret[0].name)} --public ${quoted(shown[0].name)} --notion ${kind} ${budget} --mechanism ${mechanism} -o out.csv`;
  }

  async release() {
    let asked;
    try {
      const { mechanism, whom, rare, kernel } = this.form.elements;
      const { notion, budgets } = this.#notion();
      const confidence = whom.value === "rows" ? null : this.#number("confidence", 0.5, 0.9999);
      asked = { ...this.#asked(), notion, budgets, mechanism: mechanism.value, confidence, rare: rare.value, kernel: kernel.value === "1" || null, resamples: 200, seed: null };
    } catch (error) {
      return this.#wrong(error.message);
    }
    await this.#ready();
    const done = await this.#ask("release", asked, "Designing the channel, auditing it, and drawing a value for each row.");
    if (!done) return;
    const out = this.box.querySelector(".lift-outcome");
    const of = (files) => {
      const list = document.createElement("p");
      list.className = "lift-buttons";
      for (const file of files) list.append(this.#download(file));
      return list;
    };
    out.replaceChildren(
      ...done.promises.map(paragraph),
      paragraph(`${(100 * done.nmi).toFixed(1)} % of the column’s information is left.`),
      paragraph("For publication, together:"),
      of(done.files.filter((file) => !file.private)),
      paragraph("For you alone; the counts of the table are in them:"),
      of(done.files.filter((file) => file.private)),
      ...done.notes.map((note) => paragraph(`Note: ${note}.`)),
      paragraph("Earlier releases of these rows are not known here: where there are some, lift sanitise on your machine puts them together."),
    );
    this.box.dataset.released = Number(this.box.dataset.released ?? 0) + 1;
  }

  #download({ name, text }) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.addEventListener("click", () => give(name, text));
    return button;
  }

  halt() {
    engine.stop();
  }

  save() {
    give(`${this.file.name.replace(/\W+/g, "-")}-audit.html`, this.page);
  }
}

export const openTool = (after) => {
  styled();
  const box = document.createElement("section");
  box.className = "lift-panel lift-desk";
  box.setAttribute("aria-label", "Your table, in your browser");
  after.after(box);
  return new Desk(box);
};
