// The panel with which a chapter is run on its own page: parameters, progress, stop, reset, edited cells.
import { engine, Stopped } from "./engine.mjs";
import { command, fields, fromAddress, read, set, toAddress } from "./form.mjs";
import { cellAt, mark, place, placeNumbers, reset, rowsOfTheBook, wantedNumbers } from "./places.mjs";
import { editable } from "./edit.mjs";
import { styled } from "./style.mjs";

const PANEL = `
  <form class="lift-form" novalidate></form>
  <p class="lift-buttons">
    <button type="button" data-do="run" class="lift-go">Run</button>
    <button type="button" data-do="stop" disabled>Stop</button>
    <button type="button" data-do="reset" disabled>Back to the book</button>
    <button type="button" data-do="small">Small values</button>
    <button type="button" data-do="book">The book’s values</button>
    <button type="button" data-do="copy">Copy as a command</button>
    <button type="button" data-do="first" hidden>Show the first changed number</button>
  </p>
  <p class="lift-state"><progress max="1" value="0" hidden></progress> <span role="status"></span></p>
  <p class="lift-wrong" role="alert"></p>
  <p class="lift-legend" hidden>What has an edge like this one is yours; all else is the book’s: the numbers in a sentence may be yours, its words are not. Any cell can be changed and run from there on.</p>`;

const minutes = (seconds) =>
  seconds < 10 ? `${Math.max(1, Math.round(seconds))} s` : seconds < 90 ? `${10 * Math.round(seconds / 10)} s` : `${Math.round(seconds / 60)} min`;

class Panel {
  edited = new Map();
  #running = false;
  #current; // the run that is under way, or the last one
  #since; // the engine that has the names of the page's cells

  constructor(host, page, data, extras) {
    Object.assign(this, { page, data });
    this.box = document.createElement("section");
    this.box.className = "lift-panel";
    this.box.setAttribute("aria-label", "Run this page");
    this.box.innerHTML = PANEL;
    const values = fromAddress(data.parameters, location.search);
    this.#form.append(...fields(data.parameters, values));
    host.replaceWith(this.box);
    this.box.addEventListener("click", ({ target }) => this[target.dataset?.do]?.());
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.run();
    });
    document.dispatchEvent(new Event("lift-run-begins"));
    for (const cell of data.cells)
      if (!cell.tags.includes("parameters")) editable(cellAt(cell.index), cell, this.edited, () => this.run(cell.index));
    this.extras = extras.flatMap(({ offer }) =>
      offer(() => {
        this.#button("reset").disabled = false;
      }),
    );
    this.#button("copy").hidden = !data.command;
    this.#button("run").focus({ preventScroll: true });
  }

  get #ran() {
    return this.#since !== undefined && this.#since === engine.number;
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

  #values() {
    return Object.fromEntries(this.data.parameters.map((one) => [one.name, read(this.#input(one.name), one)]));
  }

  async load() {
    this.#say("Loading Python.", 0);
    try {
      await engine.start(({ phase, part, of }) => this.#say(`Loading ${phase}.`, (part - 0.5) / of));
      if (!this.#running) this.#say("Python is ready.");
    } catch (error) {
      if (error instanceof Stopped) return;
      this.#wrong(`Python could not be loaded: ${error.message}`);
      this.#say("");
    }
  }

  // from the cell with this index on, where the cells above have been run; from the top otherwise
  async run(from) {
    if (this.#running) return this.#current;
    let values;
    try {
      values = this.#values();
    } catch (error) {
      this.#form.querySelector("details")?.setAttribute("open", "");
      this.#wrong(error.message);
      return;
    }
    this.#wrong("");
    const address = toAddress(this.data.parameters, values);
    history.replaceState(null, "", address + location.hash);
    const start = this.#ran && from !== undefined ? this.data.cells.findIndex(({ index }) => index === from) : 0;
    const sources = this.data.cells.map((cell) => ({ ...cell, source: this.edited.get(cell.index) ?? cell.source }));
    // parameters are said again where the run starts below their cell
    const cells = start ? [...sources.filter(({ tags }) => tags.includes("parameters")), ...sources.slice(start)] : sources;
    await (this.#current = this.#execute(cells, values, start === 0));
  }

  async #execute(cells, values, fresh) {
    this.#busy(true);
    let done = 0;
    const begun = performance.now();
    const seconds = () => ((performance.now() - begun) / 1000).toFixed(0);
    const state = () => `Cell ${Math.min(done + 1, cells.length)} of ${cells.length}, ${seconds()} s.`;
    this.#say("Starting.", 0);
    const timer = setInterval(() => engineReady && this.#say(state(), done / cells.length), 500);
    let engineReady = false;
    let at;
    try {
      await engine.start(({ phase, part, of }) => this.#say(`Loading ${phase}.`, (part - 0.5) / of));
      engineReady = true;
      this.rows ??= await rowsOfTheBook(this.data.cells);
      const asked = { page: this.page, cells, values, fresh, glue: wantedNumbers(), rows: this.rows };
      const answer = await engine.call("run", asked, (told) => {
        at = told.index;
        mark(at, !("outputs" in told));
        if (!("outputs" in told)) return this.#say(state(), done / cells.length);
        done += 1;
        place(at, told);
      });
      this.#finish(answer, cells.length);
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
      this.#busy(false);
    }
  }

  #finish({ refused, glue, tables, failed, absent, seconds }, count) {
    if (refused) {
      this.#wrong(refused);
      this.#say("");
      return;
    }
    this.#since = engine.number;
    // for whoever wants the tables, such as a test
    document.dispatchEvent(new CustomEvent("lift-run", { detail: { tables } }));
    const numbers = placeNumbers(glue);
    const parts = [`${count} cells in ${seconds.toFixed(1)} s`];
    if (failed.length) parts.push(`${failed.length} with an error`);
    if (absent.length) parts.push(`${absent.length} need what a browser does not have`);
    const said = numbers.all ? ` ${numbers.changed || "None"} of ${numbers.all} numbers in the text changed.` : "";
    this.#say(`${parts.join(", ")}.${said}`);
    const first = document.querySelector(".lift-number");
    this.box.querySelector("[data-do=first]").hidden = !first;
    this.box.dataset.runs = Number(this.box.dataset.runs ?? 0) + 1;
    const fault = failed.length && cellAt(failed[0])?.querySelector(".lift-error");
    if (fault) {
      fault.closest("details")?.setAttribute("open", "");
      fault.scrollIntoView({ block: "center" });
    }
  }

  #busy(running) {
    this.#running = running;
    this.#button("run").disabled = running;
    this.#button("stop").disabled = !running;
    this.#button("reset").disabled = running;
    this.box.querySelector(".lift-legend").hidden = false;
    this.box.classList.toggle("lift-busy", running);
  }

  stop() {
    engine.stop();
  }

  reset() {
    reset(this.data.cells);
    for (const cell of this.data.cells) cellAt(cell.index)?.querySelector(".lift-undo")?.click();
    for (const extra of this.extras) extra.reset();
    this.#button("first").hidden = true;
    this.edited.clear();
    this.#since = undefined;
    this.#fill("start");
    this.#say("The page is the book’s again.");
    history.replaceState(null, "", location.pathname + location.hash);
  }

  first() {
    document.querySelector(".lift-number").scrollIntoView({ block: "center" });
  }

  #fill(which) {
    for (const parameter of this.data.parameters) set(this.#input(parameter.name), parameter, parameter[which]);
  }

  small() {
    this.#fill("start");
  }

  async book() {
    this.#fill("book");
    const { seconds, yardstick } = this.data;
    if (!seconds || this.#running) return this.#say("How long these take here is not known.");
    const { seconds: here } = await engine.call("yardstick", {});
    this.#say(`About ${minutes((seconds * here) / yardstick)} here; ${minutes(seconds)} on the machine that made the book.`);
  }

  async copy() {
    try {
      const text = command(this.data.command, this.page, this.data.parameters, this.#values());
      await navigator.clipboard.writeText(text).catch(() => this.#wrong(text));
      this.#say("Copied: it runs this page with these values, and keeps what comes of it.");
      this.box.dataset.command = text;
    } catch (error) {
      this.#wrong(error.message);
    }
  }
}

// runs the page at once, or only loads Python
export const openPanel = async (host, page, runs) => {
  styled();
  const answer = await fetch(new URL(`pages/${page}.json`, import.meta.url));
  if (!answer.ok) throw new Error(`${page}.json: ${answer.status}`);
  const data = await answer.json();
  // the book's own scripts: each offers panels, and says by a call that there is something to take back
  const extras = await Promise.all(data.extras.map((name) => import(new URL(name, import.meta.url))));
  const panel = new Panel(host, page, data, extras);
  if (runs) panel.run();
  else panel.load();
  return panel;
};
