// A paper's claims on its page of the record: each can be judged again here, in its own setting.
import { engine, Stopped } from "./engine.mjs";

const HTML = `
  <p>These verdicts are about the papers’ own settings. They are the book’s, whatever this page was run with.
  Here each claim can be computed again, from a seed of yours, in its own setting; its verdict is then of the book’s replications with yours among them.</p>
  <p class="lift-buttons">
    <label>seed <input type="number" name="claims-seed" min="0" max="1000000" step="1" value="20"></label>
    <button type="button" data-do="judge">Judge again</button>
    <button type="button" data-do="halt" disabled>Stop</button>
  </p>
  <p class="lift-state" role="status"></p>
  <p class="lift-wrong" role="alert"></p>`;

const SEEN = { same: "as the book has it", other: "not as the book has it", new: "a seed that the book does not have" };

class Claims {
  constructor(table, changed) {
    this.changed = changed;
    this.rows = new Map();
    for (const row of table.tBodies[0].rows) {
      const link = row.querySelector('a[href*="ledger.html#"]');
      if (link) this.rows.set(link.hash.slice(1), row);
    }
    this.table = table;
    this.box = document.createElement("div");
    this.box.className = "lift-panel lift-judging";
    this.box.innerHTML = HTML;
    (table.closest("details") ?? table).before(this.box);
    this.box.addEventListener("click", ({ target }) => this[target.dataset?.do]?.());
  }

  #part(name) {
    return this.box.querySelector(name);
  }

  // the column of the reader's own, made with the first verdict
  #cell(claim) {
    if (!this.head) {
      this.head = document.createElement("th");
      this.table.tHead.rows[0].append(this.head);
      for (const row of this.rows.values()) row.insertCell().className = "lift-yours";
    }
    return this.rows.get(claim).cells[this.table.tHead.rows[0].cells.length - 1];
  }

  async judge() {
    const input = this.#part("[name=claims-seed]");
    if (!input.checkValidity() || input.value === "") {
      this.#part("[role=alert]").textContent = "seed: give a whole number in [0, 1000000]";
      return;
    }
    this.#part("[role=alert]").textContent = "";
    const seed = Number(input.value);
    this.table.closest("details")?.setAttribute("open", "");
    this.#busy(true);
    const say = (text) => (this.#part("[role=status]").textContent = text);
    let at = 0;
    try {
      await engine.start(({ phase }) => phase && say(`Loading ${phase}.`));
      const asked = { claims: [...this.rows.keys()], seed };
      const { judged, moved } = await engine.call("judge", asked, (told) => {
        if ("seconds" in told) this.#show(told);
        else say(`Claim ${++at} of ${this.rows.size}.`);
      });
      this.head.textContent = `here, seed ${seed}`;
      const same = moved === 0 ? "no verdict is another with it" : `${moved} ${moved === 1 ? "verdict is" : "verdicts are"} another with it`;
      say(`${judged} of ${this.rows.size} judged again: ${same}.`);
      this.box.dataset.judged = judged;
      this.changed();
    } catch (error) {
      say(error instanceof Stopped ? "Stopped." : "");
      if (!(error instanceof Stopped)) this.#part("[role=alert]").textContent = `Python ended: ${error.message}`;
    } finally {
      this.#busy(false);
    }
  }

  #show({ claim, found, seen, verdict, left }) {
    const cell = this.#cell(claim);
    this.head.textContent ||= "here";
    const before = this.rows.get(claim).querySelector('a[href*="ledger.html#"]').textContent;
    const text = left ? `not computed here: ${left}` : `${found}, ${SEEN[seen]}; ${verdict === before ? `still “${verdict}”` : `now “${verdict}”`}`;
    cell.textContent = text;
    cell.classList.toggle("lift-mine", !left);
  }

  #busy(busy) {
    this.#part("[data-do=judge]").disabled = busy;
    this.#part("[data-do=halt]").disabled = !busy;
  }

  halt() {
    engine.stop();
  }

  reset() {
    if (!this.head) return;
    this.head.remove();
    this.head = undefined;
    this.table.querySelectorAll(".lift-yours").forEach((one) => one.remove());
    this.#part("[role=status]").textContent = "";
    delete this.box.dataset.judged;
  }
}

export const offer = (changed) => [...document.querySelectorAll(".lift-claims table")].map((table) => new Claims(table, changed));
