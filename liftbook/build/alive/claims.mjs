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
  constructor(list, changed) {
    this.changed = changed;
    this.list = list;
    this.rows = new Map([...list.querySelectorAll("details.claim")].map((row) => [row.id, row]));
    this.box = document.createElement("div");
    this.box.className = "lift-panel lift-judging";
    this.box.innerHTML = HTML;
    list.before(this.box);
    this.box.addEventListener("click", ({ target }) => this[target.dataset?.do]?.());
  }

  #part(name) {
    return this.box.querySelector(name);
  }

  // what the reader's own seed gives, below the row's sentence
  #cell(claim) {
    const head = this.rows.get(claim).querySelector("summary");
    const cell = head.querySelector(".lift-yours") ?? head.appendChild(document.createElement("span"));
    cell.className = "lift-yours";
    return cell;
  }

  async judge() {
    const input = this.#part("[name=claims-seed]");
    if (!input.checkValidity() || input.value === "") {
      this.#part("[role=alert]").textContent = "seed: give a whole number in [0, 1000000]";
      return;
    }
    this.#part("[role=alert]").textContent = "";
    const seed = Number(input.value);
    this.#busy(true);
    const say = (text) => (this.#part("[role=status]").textContent = text);
    let at = 0;
    try {
      await engine.start(({ phase }) => phase && say(`Loading ${phase}.`));
      const asked = { claims: [...this.rows.keys()], seed };
      const { judged, moved } = await engine.call("judge", asked, (told) => {
        if ("seconds" in told) this.#show(told, seed);
        else say(`Claim ${++at} of ${this.rows.size}.`);
      });
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

  #show({ claim, found, seen, verdict, left }, seed) {
    const cell = this.#cell(claim);
    const before = this.rows.get(claim).dataset.verdict;
    const text = left ? `not computed here: ${left}` : `here, seed ${seed}: ${found}, ${SEEN[seen]}; ${verdict === before ? `still “${verdict}”` : `now “${verdict}”`}`;
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
    this.list.querySelectorAll(".lift-yours").forEach((one) => one.remove());
    this.#part("[role=status]").textContent = "";
    delete this.box.dataset.judged;
  }
}

export const offer = (changed) => [...document.querySelectorAll(".lift-claims")].map((list) => new Claims(list, changed));
