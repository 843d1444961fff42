// The panel with which a chapter is run on its own page: parameters, progress, stop, reset, edited cells.
// It opens with the book's values, which the page shows already, so that nothing runs until one of them is changed.
import { engine, Stopped } from "./engine.mjs";
import { command, fields, fromAddress, read, same, set, toAddress } from "./form.mjs";
import { cellAt, countNumbers, mark, place, placeNumbers, reset, rowsOfTheBook, wantedNumbers } from "./places.mjs";
import { editable } from "./edit.mjs";
import { styled } from "./style.mjs";

const PANEL = `
  <form class="companion-form" novalidate></form>
  <p class="companion-buttons">
    <button type="button" data-do="run" class="companion-go">Run</button>
    <button type="button" data-do="stop" disabled>Stop</button>
    <button type="button" data-do="small">Small values</button>
    <button type="button" data-do="reset">Back to the book</button>
    <button type="button" data-do="copy">Copy as a command</button>
    <button type="button" data-do="first" hidden>Show the first changed number</button>
  </p>
  <p class="companion-state"><progress max="1" value="0" hidden></progress> <span role="status"></span></p>
  <p class="companion-wrong" role="alert"></p>
  <p class="companion-legend" hidden>What has an edge like this one is yours; all else is the book’s: the numbers in a sentence may be yours, its words are not. Any cell can be changed and run from there on.</p>`;

const PATIENCE = 1500; // milliseconds in which a run that was overtaken may finish its cell

const minutes = (seconds) =>
  seconds < 10 ? `${Math.max(1, Math.round(seconds))} s` : seconds < 90 ? `${10 * Math.round(seconds / 10)} s` : `${Math.round(seconds / 60)} min`;

class Panel {
  edited = new Map();
  #asked = 0; // how many runs were asked for
  #begun = false; // whether the run that is under way has reached its cells
  #current; // the run that is under way
  #overtaken = false; // whether the run that is under way is to give way to another
  #shown; // the values whose results the page shows, or is about to show
  #since; // the engine that has the names of the page's cells

  constructor(host, page, data) {
    Object.assign(this, { page, data });
    this.box = document.createElement("section");
    this.box.className = "companion-panel";
    this.box.setAttribute("aria-label", "Run this page");
    this.box.innerHTML = PANEL;
    this.#shown = this.#given("book");
    this.#form.append(...fields(data.parameters, fromAddress(data.parameters, location.search)));
    host.replaceWith(this.box);
    this.box.addEventListener("click", ({ target }) => this[target.dataset?.do]?.());
    this.#form.addEventListener("submit", (event) => event.preventDefault());
    this.#form.addEventListener("input", () => this.#values() && this.#wrong(""));
    this.#form.addEventListener("change", () => this.#follow());
    for (const cell of data.cells)
      if (!cell.tags.includes("parameters")) editable(cellAt(cell.index), cell, this.edited, () => this.run(cell.index));
    this.#button("copy").hidden = !data.command;
    this.#button("small").hidden = same(this.#given("start"), this.#shown);
    this.#button("run").focus({ preventScroll: true });
  }

  get #form() {
    return this.box.querySelector("form");
  }

  #button(name) {
    return this.box.querySelector(`[data-do="${name}"]`);
  }

  #input(name) {
    return this.#form.elements.namedItem(name);
  }

  #say(text, share) {
    const bar = this.box.querySelector("progress");
    bar.hidden = share === undefined;
    if (share !== undefined) bar.value = share;
    this.box.querySelector("[role=status]").textContent = text;
  }

  #wrong(text) {
    this.box.querySelector("[role=alert]").textContent = text;
  }

  // the form's values, or undefined, and then what is wrong goes to `report`
  #values(report = () => {}) {
    try {
      return Object.fromEntries(this.data.parameters.map((one) => [one.name, read(this.#input(one.name), one)]));
    } catch (error) {
      report(error.message);
    }
  }

  // parameters' values of a kind: the book's, or small ones to start with
  #given(kind) {
    return Object.fromEntries(this.data.parameters.map((one) => [one.name, one[kind]]));
  }

  #fill(values) {
    for (const parameter of this.data.parameters) set(this.#input(parameter.name), parameter, values[parameter.name]);
    this.#wrong("");
  }

  #complain(text) {
    this.#form.querySelector("details")?.setAttribute("open", "");
    this.#wrong(text);
  }

  // runs if a value was changed
  #follow() {
    const values = this.#values((text) => this.#complain(text));
    if (values && !same(values, this.#shown)) return this.run();
  }

  // loads Python behind the form
  async load() {
    if (this.#follow()) return; // the address has values of its own
    this.#say("Change a value, and the page follows. Python is loading.", 0);
    try {
      await engine.start(({ phase, part, of }) => this.#loading(phase, part, of));
      if (this.#current) return;
      this.#say("Python is ready: change a value, and the page follows.");
      const { seconds, yardstick } = this.data;
      if (!seconds) return;
      const { seconds: here } = await engine.call("yardstick", {});
      if (this.#current) return;
      const duration = minutes((seconds * here) / yardstick);
      const small = this.#button("small").hidden ? "" : ", with small values less";
      this.#say(`Python is ready: change a value, and the page follows. The whole page takes about ${duration} here${small}.`);
    } catch (error) {
      if (error instanceof Stopped) return;
      this.#wrong(`Python could not be loaded: ${error.message}`);
      this.#say("");
    }
  }

  #loading(phase, part, of) {
    const first = this.#current ? "" : "Change a value, and the page follows. ";
    this.#say(`${first}Loading ${phase}.`, (part - 0.5) / of);
  }

  // from the cell with this index on, where the cells above have been run; from the top otherwise
  async run(from) {
    const values = this.#values((text) => this.#complain(text));
    if (!values) return;
    this.#wrong("");
    if (this.#current && from === undefined && same(values, this.#shown)) return; // these are under way
    this.#shown = values;
    this.#asked += 1;
    const asked = this.#asked;
    if (this.#current) await this.#overtake();
    if (asked !== this.#asked) return; // something else has been asked for in the meantime
    const address = toAddress(this.data.parameters, values);
    history.replaceState(null, "", address + location.hash);
    const ran = this.#since !== undefined && this.#since === engine.number;
    const start = ran && from !== undefined ? this.data.cells.findIndex(({ index }) => index === from) : 0;
    const sources = this.data.cells.map((cell) => ({ ...cell, source: this.edited.get(cell.index) ?? cell.source }));
    // parameters are said again where the run starts below their cell
    const cells = start ? [...sources.filter(({ tags }) => tags.includes("parameters")), ...sources.slice(start)] : sources;
    this.#current = this.#execute(cells, values, start === 0);
    await this.#current;
  }

  // ends the run that is under way: after its cell, or with Python if the cell takes long
  async #overtake() {
    this.#overtaken = true;
    if (this.#begun) engine.call("cancel", {}).catch(() => {});
    const late = setTimeout(() => this.#begun && engine.stop(), PATIENCE);
    await this.#current;
    clearTimeout(late);
  }

  async #execute(cells, values, fresh) {
    this.#busy(true);
    document.dispatchEvent(new Event("companion-run-begins"));
    this.#overtaken = this.#begun = false;
    let done = 0;
    const begun = performance.now();
    const seconds = () => ((performance.now() - begun) / 1000).toFixed(0);
    const state = () => `Cell ${Math.min(done + 1, cells.length)} of ${cells.length}, ${seconds()} s.`;
    this.#say("Starting.", 0);
    const timer = setInterval(() => this.#begun && this.#say(state(), done / cells.length), 500);
    let at;
    try {
      await engine.start(({ phase, part, of }) => this.#loading(phase, part, of));
      this.rows ??= await rowsOfTheBook(this.data.cells);
      if (this.#overtaken) return;
      this.#begun = true;
      const asked = { page: this.page, cells, values, fresh, glue: wantedNumbers(), rows: this.rows };
      const answer = await engine.call("run", asked, (told) => {
        at = told.index;
        mark(at, !("outputs" in told));
        if (!("outputs" in told)) return this.#say(state(), done / cells.length);
        done += 1;
        place(at, told);
        placeNumbers(told.glue);
      });
      if (answer.cancelled) {
        mark(at, false);
        this.#since = undefined;
      } else this.#finish(answer, cells.length);
    } catch (error) {
      if (at !== undefined) mark(at, false);
      this.#since = undefined;
      if (error instanceof Stopped) this.#say(`Stopped after ${done} of ${cells.length} cells.`);
      else {
        this.#wrong(`Python ended: ${error.message}`);
        this.#say("");
        engine.stop();
      }
    } finally {
      clearInterval(timer);
      this.#current = undefined;
      this.#busy(false);
    }
  }

  #finish({ refused, tables, failed, absent, seconds }, count) {
    if (refused) {
      this.#wrong(refused);
      this.#say("");
      return;
    }
    this.#since = engine.number;
    // for whoever wants the tables, such as a test
    document.dispatchEvent(new CustomEvent("companion-run", { detail: { tables } }));
    const numbers = countNumbers();
    const parts = [`${count} cells in ${seconds.toFixed(1)} s`];
    if (failed.length) parts.push(`${failed.length} with an error`);
    if (absent.length) parts.push(`${absent.length} need what a browser does not have`);
    const said = numbers.all ? ` ${numbers.changed || "None"} of ${numbers.all} numbers in the text changed.` : "";
    this.#say(`${parts.join(", ")}.${said}`);
    this.#button("first").hidden = !numbers.changed;
    this.box.dataset.runs = Number(this.box.dataset.runs ?? 0) + 1;
    const fault = failed.length && cellAt(failed[0])?.querySelector(".companion-error");
    if (fault) {
      fault.closest("details")?.setAttribute("open", "");
      fault.scrollIntoView({ block: "center" });
    }
  }

  #busy(running) {
    this.#button("stop").disabled = !running;
    if (running) this.box.querySelector(".companion-legend").hidden = false;
    this.box.classList.toggle("companion-busy", running);
  }

  stop() {
    engine.stop();
  }

  small() {
    this.#fill(this.#given("start"));
    return this.#follow();
  }

  async reset() {
    this.#asked += 1;
    if (this.#current) await this.#overtake();
    reset(this.data.cells);
    for (const cell of this.data.cells) cellAt(cell.index)?.querySelector(".companion-undo")?.click();
    this.#button("first").hidden = true;
    this.edited.clear();
    this.#since = undefined;
    this.#shown = this.#given("book");
    this.#fill(this.#shown);
    this.#say("The page is the book’s again.");
    history.replaceState(null, "", location.pathname + location.hash);
  }

  first() {
    document.querySelector(".companion-number").scrollIntoView({ block: "center" });
  }

  async copy() {
    const values = this.#values((text) => this.#complain(text));
    if (!values) return;
    const text = command(this.data.command, this.page, this.data.parameters, values);
    await navigator.clipboard.writeText(text).catch(() => this.#wrong(text));
    this.#say("Copied: it runs this page with these values, and keeps what comes of it.");
    this.box.dataset.command = text;
  }
}

// opens the form, and loads Python behind it
export const openPanel = async (host, page) => {
  styled();
  const answer = await fetch(new URL(`pages/${page}.json`, import.meta.url));
  if (!answer.ok) throw new Error(`${page}.json: ${answer.status}`);
  const panel = new Panel(host, page, await answer.json());
  panel.load();
  return panel;
};
