// A live chart in the place of a figure, from the rows that the figure was drawn from.
import { csv, isChosen, kept, rounded, rowsOf, said, spec, spoken, told } from "./spec.mjs";
import { styled } from "./style.mjs";

const HTML = `
  <p class="lift-whose"></p>
  <div class="lift-choices"></div>
  <div class="lift-views"></div>
  <div class="lift-tip" hidden></div>
  <p class="lift-keys">Point at a panel to read its values; hold Ctrl and turn the wheel to zoom, drag to move, double-click to go back.</p>
  <p class="lift-buttons"><button type="button" data-do="download">Download the rows (CSV)</button></p>
  <details><summary>The values as a table</summary>
    <p><label>at <span class="lift-x"></span> <select data-at></select></label></p>
    <div class="lift-table" tabindex="0" role="region" aria-label="The values as a table"></div>
  </details>`;

const make = (tag, className, ...inside) => {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...inside);
  return made;
};

const swatch = ({ colour, dash }) => {
  const box = make("span", "lift-swatch");
  box.innerHTML = `<svg width="28" height="10" aria-hidden="true" focusable="false"><line x1="1" y1="5" x2="27" y2="5" stroke="${colour}" stroke-width="2.5" stroke-dasharray="${dash.join(" ")}"/></svg>`;
  return box;
};

class Chart {
  #views = [];
  #drawing = Promise.resolve();

  constructor(box, data, source, name) {
    Object.assign(this, { box, data, source, name });
    box.innerHTML = HTML;
    box.querySelector(".lift-whose").textContent =
      source === "the book" ? "These are the book’s rows." : "These are the rows of your run, not the book’s.";
    const xs = data.panels.flatMap((panel) => rowsOf(panel).map((row) => row[panel.x]));
    this.ends = [Math.min(...xs), Math.max(...xs)];
    this.state = { chosen: {}, from: this.ends[0], to: this.ends[1], fit: false };
    this.#offerSeries();
    this.#offerRange();
    const [panel] = data.panels;
    box.querySelector(".lift-x").textContent = panel.x_label;
    box.querySelector("[data-at]").addEventListener("change", () => this.#tabulate());
    box.querySelector("[data-do=download]").addEventListener("click", () => this.#download());
    for (const _ of data.panels) {
      // one picture with words of its own, the rest of it hidden from a screen reader
      const place = make("div", "lift-view", make("div"));
      place.setAttribute("role", "img");
      place.firstElementChild.setAttribute("aria-hidden", "true");
      box.querySelector(".lift-views").append(place);
    }
  }

  #offerSeries() {
    const facets = [...new Set(this.data.series.flatMap((one) => Object.keys(one.facets)))];
    const place = this.box.querySelector(".lift-choices");
    for (const facet of facets) {
      const values = [...new Set(this.data.series.map((one) => one.facets[facet]).filter((one) => one !== undefined))];
      this.state.chosen[facet] = new Set(values);
      const group = make("fieldset", "", make("legend", "", facet));
      for (const value of values) {
        const input = make("input");
        Object.assign(input, { type: "checkbox", checked: true, name: facet, value });
        input.addEventListener("change", () => {
          this.state.chosen[facet][input.checked ? "add" : "delete"](value);
          this.draw();
        });
        const label = make("label", "", input, ` ${value} `);
        if (facets.length === 1) label.append(swatch(this.data.series.find((one) => one.facets[facet] === value)));
        group.append(label);
      }
      place.append(group);
    }
    if (facets.length > 1) {
      this.legend = make("ul", "lift-key");
      this.legend.setAttribute("aria-label", "Curves that are shown");
      place.after(this.legend);
    }
  }

  #offerRange() {
    const group = make("fieldset", "", make("legend", "", this.data.panels[0].x_label));
    for (const [end, at] of [["from", 0], ["to", 1]]) {
      const input = make("input");
      Object.assign(input, { type: "number", step: "any", name: end, value: Number(this.ends[at].toPrecision(6)) });
      input.addEventListener("change", () => {
        // what is left empty, or stands at the end, is the end itself
        const value = input.value === "" ? NaN : Number(input.value);
        this.state[end] = Number.isNaN(value) || value === Number(this.ends[at].toPrecision(6)) ? this.ends[at] : value;
        this.draw();
      });
      group.append(make("label", "", `${end} `, input));
    }
    const fit = make("input");
    Object.assign(fit, { type: "checkbox", name: "fit" });
    fit.addEventListener("change", () => {
      this.state.fit = fit.checked;
      this.draw();
    });
    group.append(make("label", "", fit, " heights to fit"));
    this.box.querySelector(".lift-choices").append(group);
  }

  // one drawing after the other, so that none is lost
  draw() {
    this.#drawing = this.#drawing.then(() => this.#draw());
    return this.#drawing;
  }

  async #draw() {
    for (const one of this.#views) one.finalize();
    const places = [...this.box.querySelectorAll(".lift-view")];
    this.#views = [];
    for (const [at, panel] of this.data.panels.entries()) {
      const tooltip = (_, event, item, value) => this.#tell(panel, event, value && (item.datum.datum ?? item.datum));
      places[at].setAttribute("aria-label", spoken(panel, this.data, this.state));
      if (!kept(panel, this.data, this.state).length) {
        places[at].firstElementChild.textContent = "Nothing is chosen.";
        continue;
      }
      this.#views.push(await window.vegaEmbed(places[at].firstElementChild, spec(panel, this.data, this.state), { actions: false, renderer: "svg", tooltip }));
    }
    this.legend?.replaceChildren(
      ...this.data.series.filter((one) => isChosen(one, this.state.chosen)).map((one) => make("li", "", swatch(one), ` ${one.name}`)),
    );
    const select = this.box.querySelector("[data-at]");
    const [panel] = this.data.panels;
    const found = [...new Set(kept(panel, this.data, this.state).map((row) => row[panel.x]))].sort((a, b) => a - b);
    const before = select.value;
    select.replaceChildren(...found.map((x) => new Option(rounded(x), String(x))));
    select.value = found.map(String).includes(before) ? before : String(found[Math.floor(found.length / 2)] ?? "");
    this.#tabulate();
    this.box.dataset.drawn = Number(this.box.dataset.drawn ?? 0) + 1;
  }

  // without a place nothing is told, and there may be no event
  #tell(panel, event, datum) {
    const tip = this.box.querySelector(".lift-tip");
    tip.hidden = !datum;
    if (tip.hidden) return;
    const { clientX, clientY } = event;
    tip.replaceChildren(...told(panel, this.data, datum).map(([name, value]) => make("div", "", make("span", "", name), " ", make("b", "", value))));
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(0, Math.min(clientX + 14, document.documentElement.clientWidth - width))}px`;
    tip.style.top = `${clientY + 14 + height > window.innerHeight ? clientY - 14 - height : clientY + 14}px`;
  }

  #tabulate() {
    const at = Number(this.box.querySelector("[data-at]").value);
    const table = make("table", "table");
    const head = table.createTHead().insertRow();
    for (const title of ["", ...this.data.panels.map((panel) => panel.title)]) head.append(make(title ? "th" : "td", "", title));
    const body = table.createTBody();
    for (const one of this.data.series.filter((series) => isChosen(series, this.state.chosen))) {
      const line = body.insertRow();
      const name = make("th", "", one.name);
      name.scope = "row";
      line.append(name);
      for (const panel of this.data.panels) {
        const row = rowsOf(panel).find((found) => found.series === one.name && found[panel.x] === at);
        line.append(make("td", "", row ? said(row) : ""));
      }
    }
    this.box.querySelector(".lift-table").replaceChildren(table);
  }

  #download() {
    const link = make("a");
    link.href = URL.createObjectURL(new Blob([csv(this.data, this.source)], { type: "text/csv" }));
    link.download = `${this.name}${this.source === "the book" ? "" : "-yours"}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }
}

export const openChart = async (link, after) => {
  styled();
  const [answer] = await Promise.all([fetch(link.dataset.rows), import(new URL("vega.mjs", import.meta.url))]);
  if (!answer.ok) throw new Error(`${link.dataset.rows}: ${answer.status}`);
  const run = link.closest(".lift-mine")?.dataset.run;
  const alt = link.querySelector("[role=img]")?.getAttribute("aria-label") ?? "";
  const cell = link.closest(".cell");
  const name = link.closest("figure")?.id || cell?.querySelector("figure[id]")?.id || "figure";
  const box = make("section", "lift-chart");
  box.setAttribute("aria-label", `Live chart. ${alt}`);
  after.after(box);
  const chart = new Chart(box, await answer.json(), run === undefined ? "the book" : `a run in the browser, ${run}`, name);
  await chart.draw();
  return box;
};
