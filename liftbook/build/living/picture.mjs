// One picture of a table of people, a mechanism and a budget: people who can be moved from group to group, the flow to the
// published outputs with the beliefs before and after, and the plane of the extreme lifts, in which the budget is dragged.
// Its state is in the address, so that a link opens it.
import { alip, jointOf, release, risky, sum, vertices } from "./lift.mjs";

// each mechanism's short and full name, and the colour and dashes of its line, as in the figures; in the lessons' order
const NAMES = {
  none: ["None", "Without a mechanism the table"],
  watchdog: ["Watchdog", "The watchdog", "#767676", "2 3"],
  merging: ["Merging", "Subset merging", "#0072b2", "7 3"],
  aorr: ["AORR", "The optimal response", "currentColor", "none"],
  srr: ["SRR", "Subset random response", "#009e73", "8 2 2 2"],
  linear: ["Reduction", "Linear reduction", "#4453a8", "5 2"],
  grr: ["GRR", "Generalised randomised response", "#8c8300", "1.5 1.5"],
  cr: ["Conditional reporting", "Conditional reporting", "#c2384b", "12 3"],
};
// the first page's choices, and what to say of each
const STORY = {
  none: "Publish as is",
  watchdog: "One label for risky ages",
  merging: "Two small groups",
};
const MOST = 2; // nats on each axis of the plane
const SHADES = ["2d004b", "542788", "8073ac", "b2abd2", "d8daeb", "f7f7f7", "fee0b6", "fdb863", "e08214", "b35806", "7f3b08"];

const make = (tag, className, ...inside) => {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...inside);
  return made;
};
const svg = (tag, attributes, ...inside) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...inside);
  return made;
};
const percent = (share) => `${Number(Number((100 * share).toFixed(2)).toPrecision(3))}\u00a0%`;
const listed = (words, and = "and") => (words.length > 1 ? `${words.slice(0, -1).join(", ")} ${and} ${words.at(-1)}` : words.join(""));
const between = (value, low, high) => Math.max(low, Math.min(high, value));
const copied = (counts) => counts.map((row) => [...row]);
const button = (text, pressed) => {
  const made = make("button", "", text);
  made.type = "button";
  made.addEventListener("click", pressed);
  return made;
};

// matplotlib's PuOr_r as in the figures, but for its darkest ends: purple for lifts below 1, orange above
const shade = (lift) => {
  const place = 5 + 4 * between(Math.log(lift) / Math.log(2.5), -1, 1);
  const low = Math.min(9, Math.floor(place));
  const channel = (hex, i) => parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  const mixed = [0, 1, 2].map((i) => Math.round((1 - place + low) * channel(SHADES[low], i) + (place - low) * channel(SHADES[low + 1], i)));
  return `rgb(${mixed.join(",")})`;
};

// --- the state, and its text in an address

const written = (state, tables) => {
  const parts = [`mechanism=${state.mechanism}`, `eps=${Number(state.eps.toFixed(3))}`, `lambda=${Number(state.lambda.toFixed(4))}`];
  if (state.more) parts.push("more=1");
  if (state.bands !== tables[0].names.length) parts.push(`bands=${state.bands}`);
  const book = tables.find(({ names }) => names.length === state.bands).counts;
  if (String(book) !== String(state.counts)) parts.push(`people=${state.counts.flat().join("-")}`);
  return parts.join("&");
};

// what is missing or wrong in the text stays as in `base`
const read = (text, tables, base, offered) => {
  const given = new URLSearchParams(text);
  const number = (name, most) => (/^[\d.]+$/.test(given.get(name)) && given.get(name) <= most ? Number(given.get(name)) : base[name]);
  const table = tables.find(({ names }) => String(names.length) === given.get("bands")) || tables[0];
  const people = (given.get("people") || "").split("-").map(Number);
  const whole = people.length === table.counts.flat().length && people.every((n) => Number.isInteger(n) && n >= 0);
  const size = table.names.length;
  return {
    mechanism: offered.includes(given.get("mechanism")) ? given.get("mechanism") : base.mechanism,
    eps: number("eps", 2 * MOST),
    lambda: number("lambda", 1),
    more: given.has("more") ? given.get("more") === "1" : base.more,
    bands: size,
    counts: whole && sum(people) === sum(table.counts.flat()) ? table.counts.map((_, s) => people.slice(s * size, (s + 1) * size)) : copied(table.counts),
  };
};

// --- the picture of the people and of where they go

const TOP = 18; // the line of heads
const HEAD = 17; // the line above each group
const COLUMNS = [4, 8]; // dots in a row, of those with the condition and of the others

// where the cell of each secret and symbol is, in pixels; `most` is the largest distance of two dots
const cellsOf = (counts, width, height, most = 14.5) => {
  const rows = counts[0].map((_, x) => Math.max(2, ...counts.map((row, s) => Math.ceil(row[x] / COLUMNS[s]))));
  const room = height - TOP - rows.length * (HEAD + 4);
  const pitch = Math.min(room / sum(rows), most, (0.46 * width - 10) / sum(COLUMNS));
  const spare = (room - pitch * sum(rows)) / Math.max(1, rows.length - 1);
  let top = TOP;
  return {
    pitch,
    right: pitch * sum(COLUMNS) + 10,
    groups: rows.map((n) => {
      const place = { top: top + HEAD, height: n * pitch + 2 };
      top += HEAD + 4 + n * pitch + spare;
      return place;
    }),
    left: (s) => (s ? pitch * COLUMNS[0] + 7 : 0),
    wide: (s) => pitch * COLUMNS[s] + 3,
  };
};

// symbols in the order of names, neighbours by the two ends of their run: "20s–40s or 60s–70s"
const runs = (some, names) => {
  const found = [];
  for (const name of some)
    if (found.length && names.indexOf(name) === names.indexOf(found.at(-1).at(-1)) + 1) found.at(-1).push(name);
    else found.push([name]);
  return listed(found.map((run) => (run.length > 1 ? `${run[0]}–${run.at(-1)}` : run[0])), "or");
};

// what an output is called: its symbols, or the one that most of its people have
const called = ({ from }, mechanism, names, joint) => {
  const some = names.filter((_, x) => from[x] > 1e-9);
  const merged = from.every((cell, x) => cell < 1e-9 || joint.mass[x] - cell < 1e-9);
  if (some.length === 1) return some[0];
  if (merged && some.length === names.length) return "everybody";
  if (merged) return some.length < 5 ? listed(some, "or") : runs(some, names);
  return `mostly ${names[from.indexOf(Math.max(...from))]}`;
};

// the outputs in the order of the symbols that they come from, so that bands cross little
const namedOutputs = (found, mechanism, names, joint) => {
  const own = ["linear", "grr", "cr"].includes(mechanism);
  const place = ({ from, mass }) => sum(from.map((cell, x) => x * cell)) / mass;
  const named = found.outputs.map((output, y) => ({ ...output, name: own ? `“${names[y]}”` : called(output, mechanism, names, joint) }));
  return own ? named : named.sort((a, b) => place(a) - place(b));
};

// bands from the groups to the outputs; each output with the belief in the first secret before (grey) and after
const flow = ({ joint, outputs, condition }, cells, width, height, room = 112) => {
  const [left, right] = [cells.right + 3, width - room];
  const full = room - 12; // pixels of a belief of 1
  const thick = Math.min(0.58 * height, cells.groups.at(-1).top - cells.groups[0].top + cells.groups.at(-1).height);
  const slots = outputs.map(({ mass }) => Math.max(thick * mass, Math.min(42, (height - TOP) / outputs.length)));
  const gap = Math.max(0, (height - TOP - sum(slots)) / outputs.length);
  const middles = slots.map((slot, y) => TOP + gap / 2 + sum(slots.slice(0, y)) + gap * y + slot / 2);
  const bands = svg("g", { class: "lift-shaded" });
  const labels = svg("g", {});
  const lift = (lifts) => (condition < 0 ? 1 : lifts[condition]);
  const leave = joint.symbols.map((x, i) => cells.groups[x].top + cells.groups[x].height / 2 - (thick * joint.mass[i]) / 2);
  joint.symbols.forEach((_, i) => {
    const colour = shade(lift(joint.lifts.map((row) => row[i])));
    bands.append(svg("rect", { class: "lift-bar", x: left, y: leave[i], width: 7, height: thick * joint.mass[i], fill: colour }));
  });
  outputs.forEach(({ from, mass, belief, lifts, name }, y) => {
    const colour = shade(lift(lifts));
    let arrive = middles[y] - (thick * mass) / 2;
    bands.append(svg("rect", { class: "lift-bar", x: right - 7, y: arrive, width: 7, height: thick * mass, fill: colour }));
    from.forEach((cell, i) => {
      const high = thick * cell;
      const [a, b, mid] = [leave[i], arrive, (left + right) / 2];
      leave[i] += high;
      arrive += high;
      if (cell < 1e-9) return;
      const d = `M${left + 7} ${a}C${mid} ${a} ${mid} ${b} ${right - 7} ${b}v${high}C${mid} ${b + high} ${mid} ${a + high} ${left + 7} ${a + high}Z`;
      bands.append(svg("path", { class: "lift-band", d, fill: colour }));
    });
    const [before, after] = condition < 0 ? [0, 0] : [joint.prior[condition], belief[condition]];
    const [at, word] = [right + 6, (text, down, look) => svg("text", { x: right + 6, y: middles[y] + down, class: look }, text)];
    labels.append(word(name, -5, "lift-output"), word(`${percent(after)}, lift ${lift(lifts).toFixed(2)}`, 8, ""));
    labels.append(svg("rect", { class: "lift-before", x: at, y: middles[y] + 12, width: full * before, height: 4 }));
    bands.append(svg("rect", { class: "lift-bar lift-after-belief", x: at, y: middles[y] + 16.5, width: full * after, height: room > 112 ? 7 : 5, fill: colour }));
  });
  return [bands, labels];
};

// --- the plane

const across = (value) => 32 + between(value, 0, MOST) * 96;
const up = (value) => 212 - between(value, 0, MOST) * 96;
const extremes = (lifts) => [-Math.log(Math.min(...lifts)), Math.log(Math.max(...lifts))];

const plane = ({ joint, outputs, notion, high, names }, { mechanism, eps, lambda }) => {
  const inside = [];
  const side = Math.min(eps, MOST);
  const triangle = [[0, 0], [side, 0], [side, eps - side], [eps - side, side], [0, side]].map(([a, b]) => `${across(a)},${up(b)}`);
  inside.push(svg("polygon", { class: "lift-ldp", points: triangle.join(" ") }));
  inside.push(svg("rect", { class: "lift-alip", x: 32, y: up(notion.upper), width: across(notion.lower) - 32, height: 212 - up(notion.upper) }));
  inside.push(svg("path", { class: "lift-axis", d: "M32 14V212H230" }));
  for (const tick of [0, 1, 2]) {
    inside.push(svg("text", { x: across(tick), y: 226, "text-anchor": "middle" }, String(tick)), svg("text", { x: 26, y: up(tick) + 4, "text-anchor": "end" }, String(tick)));
  }
  inside.push(svg("text", { x: 131, y: 242, "text-anchor": "middle" }, "−log Ψ: beliefs fall"), svg("text", { x: 12, y: 112, "text-anchor": "middle", transform: "rotate(-90 12 112)" }, "log Λ: beliefs rise"));
  inside.push(svg("text", { x: 228, y: 22, "text-anchor": "end" }, `ε ${eps.toFixed(2)}, λ ${lambda.toFixed(2)}`));
  const places = joint.mass.map((_, x) => extremes(joint.lifts.map((row) => row[x])));
  if (mechanism !== "none") {
    for (const { from, lifts } of outputs) {
      const [a, b] = extremes(lifts);
      from.forEach((cell, x) => {
        if (cell / joint.mass[x] > 0.05) inside.push(svg("path", { class: "lift-way", d: `M${across(places[x][0])} ${up(places[x][1])}L${across(a)} ${up(b)}` }));
      });
    }
    for (const { mass, lifts } of outputs) {
      const [[a, b], r] = [extremes(lifts), 3 + 4 * Math.sqrt(mass)];
      inside.push(svg("path", { class: "lift-after", d: `M${across(a) - r} ${up(b)}l${r} ${-r} ${r} ${r} ${-r} ${r}Z` }));
    }
  }
  const words = [];
  places.forEach(([a, b], x) => {
    const r = 3 + 5 * Math.sqrt(joint.mass[x]);
    const [beside, anchor] = across(a) > 180 ? [-r - 2, "end"] : [r + 2, "start"];
    let line = up(b) - r + 2;
    while (words.some(([left, top]) => Math.abs(left - across(a)) < 30 && Math.abs(top - line) < 11)) line -= 11;
    words.push([across(a), line]);
    inside.push(svg("circle", { class: high[x] ? "lift-risky" : "lift-safe", cx: across(a), cy: up(b), r }));
    inside.push(svg("text", { x: across(a) + beside, y: line, "text-anchor": anchor }, names[x]));
  });
  return inside;
};

// --- more: the utility of each mechanism offered at every budget, and the triangle of posteriors on three groups

const utilities = (designs, joint, eps, lambda) => Object.fromEntries(designs.map((name) => [name, release(joint, name, alip(eps, lambda)).nmi]));

const chart = (designs, joint, { eps, lambda, mechanism }) => {
  const [right, high] = [(value) => 30 + 72 * value, (value) => 180 - 165 * value];
  const grid = Array.from({ length: 33 }, (_, i) => (i * 2 * MOST) / 32);
  const curves = grid.map((at) => [at, utilities(designs, joint, at, lambda)]);
  const box = svg("svg", { viewBox: "0 0 330 215", role: "img", "aria-label": "Utility of each mechanism at budgets up to 4 nats; the list below has the values at this budget" });
  box.append(svg("path", { class: "lift-axis", d: "M30 10V180H320" }), svg("path", { class: "lift-ldp", d: `M${right(eps)} 10V180` }));
  for (const tick of [0, 1, 2, 3, 4]) box.append(svg("text", { x: right(tick), y: 194, "text-anchor": "middle" }, String(tick)));
  for (const tick of [0, 0.5, 1]) box.append(svg("text", { x: 26, y: high(tick) + 4, "text-anchor": "end" }, String(tick)));
  box.append(svg("text", { x: 175, y: 210, "text-anchor": "middle" }, `budget ε (nats), λ = ${lambda.toFixed(2)}`), svg("text", { x: 36, y: 12 }, "utility, NMI"));
  const now = utilities(designs, joint, eps, lambda);
  const key = designs.map((name) => {
    const [short, , stroke, dashes] = NAMES[name];
    const look = { fill: "none", stroke, "stroke-dasharray": dashes, "stroke-width": name === mechanism ? 3 : 1.5 };
    box.append(svg("polyline", { ...look, "data-name": name, points: curves.map(([at, values]) => `${right(at).toFixed(1)},${high(values[name]).toFixed(2)}`).join(" ") }));
    return make("li", "", svg("svg", { viewBox: "0 0 30 8", "aria-hidden": "true" }, svg("path", { ...look, d: "M0 4H30" })), `${short} ${percent(now[name])}`);
  });
  return [box, make("ul", "lift-key", ...key)];
};

const CORNERS = [[30, 225], [290, 225], [160, 20]];
const flat = (v) => [0, 1].map((i) => sum(v.map((share, x) => share * CORNERS[x][i])));
const around = (rows) => {
  const [a, b] = [0, 1].map((i) => sum(rows.map((v) => flat(v)[i])) / rows.length);
  const angle = (v) => Math.atan2(flat(v)[1] - b, flat(v)[0] - a);
  return [...rows].sort((v, w) => angle(v) - angle(w)).map((v) => flat(v).join(",")).join(" ");
};
const triangle = ({ joint, notion, outputs, names }) => {
  if (joint.mass.length !== 3) return [make("p", "", "The triangle of posteriors needs three groups with people.")];
  const box = svg("svg", { viewBox: "0 0 320 250", role: "img", "aria-label": "Triangle of the posteriors P(X|Y=y), with the region that the budget allows and a ring for each output" });
  const allowed = vertices(notion.halfspaces(joint.lifts), 3, joint.prior.length);
  box.append(svg("polygon", { class: "lift-simplex", points: around([[1, 0, 0], [0, 1, 0], [0, 0, 1]]) }), svg("polygon", { class: "lift-alip", points: around(allowed) }));
  for (const [cx, cy] of allowed.map(flat)) box.append(svg("rect", { class: "lift-safe", x: cx - 2.5, y: cy - 2.5, width: 5, height: 5 }));
  for (const { from, mass } of outputs) {
    const [cx, cy] = flat(from.map((cell) => cell / mass));
    box.append(svg("circle", { class: "lift-ring", cx, cy, r: 5 + 10 * mass }));
  }
  const [left, top] = flat(joint.mass);
  box.append(svg("path", { class: "lift-axis", d: `M${left - 5} ${top - 5}l10 10m0 -10l-10 10` }));
  names.forEach((name, x) => box.append(svg("text", { x: CORNERS[x][0], y: x < 2 ? 243 : 12, "text-anchor": "middle" }, name)));
  return [box, make("p", "", "Each point is a distribution of age: the cross is everybody’s, a ring is that of an output’s people. Blue is the region that the budget allows; the optimal mechanism uses its corners.")];
};

// --- one picture

let pictures = 0;
const fill = (box) => {
  const tables = JSON.parse(box.dataset.tables);
  const first = "story" in box.dataset;
  const offered = first ? Object.keys(STORY) : box.dataset.offers.split(" ");
  const designs = offered.filter((name) => name !== "none");
  const base = read(box.dataset.state, tables, { mechanism: "none", eps: 1, lambda: 0.5, more: false }, offered);
  let state, held, picked, cells, waiting;

  const drawing = svg("svg", { class: "lift-people-flow", role: "group", "aria-label": "The people by group, and what is published of them" });
  const [heads, ghost, shown] = [svg("g", { class: "lift-heads" }), svg("circle", { class: "lift-ghost", r: 9 }), svg("g", { "aria-hidden": "true" })];
  const map = svg("svg", { class: "lift-plane", viewBox: "0 0 240 250", role: "group", "aria-label": "The plane of the extreme lifts" });
  const points = svg("g", { "aria-hidden": "true" });
  const corner = svg("g", { class: "lift-corner", role: "slider", tabindex: 0, "aria-label": "Budget: the corner of ALIP's rectangle; arrow keys move it", "aria-valuemin": 0, "aria-valuemax": 2 * MOST }, svg("circle", { r: 20 }), svg("circle", { r: 7 }));
  map.append(points, corner);
  const numbers = make("tbody");
  const told = Object.assign(make("p", "lift-told"), { role: "status" });
  const group = `mechanism-${pictures++}`;
  const [curves, simplex] = [make("div"), make("div")];
  const more = make("details", "", make("summary", "", designs.length ? "Utility of the mechanisms, and the triangle of posteriors" : "The triangle of posteriors"), make("div", "lift-two", curves, simplex));
  more.addEventListener("toggle", () => more.open !== state.more && change({ more: more.open }));
  more.firstChild.addEventListener("click", (event) => {
    event.preventDefault(); // the event toggle comes later, and drawing before it would close the fold again
    change({ more: !state.more });
  });
  const full = ([key, [short, name]]) => [key, /^[A-Z]+$/.test(short) ? `${name.replace(/^The (.)/, (_, initial) => initial.toUpperCase())} (${short})` : short];
  const choices = first ? Object.entries(STORY) : offered.map((key) => full([key, NAMES[key]]));
  const radios = choices.map(([key, words]) => {
    const input = Object.assign(make("input"), { type: "radio", value: key, name: group });
    input.addEventListener("change", () => change({ mechanism: key }));
    return make("label", "", input, words);
  });

  // the cells stay while their dots are drawn anew, so that the keyboard's focus stays too
  let groups = [];
  const build = () => {
    const { names, secrets } = tables.find((one) => one.names.length === state.bands);
    groups = names.flatMap((_, x) => secrets.map((_, s) => ({ s, x, node: svg("g", { class: "lift-cell", role: "button", tabindex: 0 }) })));
    groups.forEach((cell) => cell.node.addEventListener("keydown", (event) => pressed(event, cell)));
    drawing.replaceChildren(shown, heads, ...groups.map(({ node }) => node), ghost);
  };

  const draw = () => {
    const { names, secrets } = tables.find((one) => one.names.length === state.bands);
    const width = Math.max(300, drawing.parentNode.clientWidth);
    const wide = first && width > 700;
    const room = wide ? 300 : 112; // for the labels and bars of the outputs
    const height = wide ? 384 : state.bands > 3 ? 360 : 300;
    const joint = jointOf(state.counts);
    const mine = joint.symbols.map((x) => names[x]);
    const notion = alip(state.eps, state.lambda);
    const [before, found] = ["none", state.mechanism].map((name) => release(joint, name, notion));
    const seen = { joint, notion, names: mine, high: risky(joint, notion), condition: joint.secrets.indexOf(0), outputs: namedOutputs(found, state.mechanism, mine, joint) };
    cells = cellsOf(state.counts, width, height, wide ? 17 : 14.5);
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    shown.replaceChildren(...flow(seen, cells, width, height, room));
    heads.replaceChildren(
      ...secrets.map((secret, s) => svg("text", { x: cells.left(s), y: 11 }, secret)),
      svg("text", { x: width - room + 6, y: 11 }, seen.condition < 0 ? "published as" : `belief, ${percent(joint.prior[seen.condition])} before`),
      ...names.map((name, x) => svg("text", { class: "lift-output", x: 0, y: cells.groups[x].top - 4 }, name)),
    );
    for (const { s, x, node } of groups) drawCell(node, s, x, `${names[x]}, ${secrets[s]}`);
    points.replaceChildren(...plane(seen, state));
    corner.setAttribute("transform", `translate(${across(notion.lower)} ${up(notion.upper)})`);
    corner.setAttribute("aria-valuenow", state.eps.toFixed(2));
    corner.setAttribute("aria-valuetext", `epsilon ${state.eps.toFixed(2)}, lambda ${state.lambda.toFixed(2)}: lifts from ${Math.exp(-notion.lower).toFixed(2)} to ${Math.exp(notion.upper).toFixed(2)}`);
    const row = (head, { lower, upper, nmi }) => {
      const lifts = `${Math.exp(-lower).toFixed(2)} to ${Math.exp(upper).toFixed(2)}`;
      return make("tr", "", Object.assign(make("th", "", head), { scope: "row" }), make("td", "", lifts), make("td", "", nmi === undefined ? "" : percent(nmi)));
    };
    numbers.replaceChildren(
      row("unchanged", before),
      ...(state.mechanism === "none" ? [] : [row(NAMES[state.mechanism][0], found)]),
      row("allowed", notion),
    );
    (first ? sayShortly : say)(seen, found);
    more.open = state.more;
    clearTimeout(waiting);
    if (more.open) simplex.replaceChildren(...triangle(seen));
    // 33 budgets of each mechanism take a while: after the last of several changes
    if (more.open && designs.length) waiting = setTimeout(() => curves.replaceChildren(...chart(designs, joint, state)), curves.firstChild ? 150 : 0);
    radios.forEach((label) => (label.firstChild.checked = label.firstChild.value === state.mechanism));
    bands.textContent = state.bands === 3 ? "Six age bands" : "Three age bands";
  };

  const drawCell = (node, s, x, name) => {
    const [left, top, high] = [cells.left(s), cells.groups[x].top, cells.groups[x].height];
    const [n, r] = [state.counts[s][x], Math.max(1.5, 0.34 * cells.pitch)];
    const dots = Array.from({ length: n }, (_, i) =>
      svg("circle", { class: s ? "lift-other" : "lift-marked", r, cx: left + 2 + cells.pitch * ((i % COLUMNS[s]) + 0.5), cy: top + 1 + cells.pitch * (Math.floor(i / COLUMNS[s]) + 0.5) }),
    );
    node.replaceChildren(svg("rect", { x: left, y: top, width: cells.wide(s), height: high, rx: 3 }), ...dots);
    node.setAttribute("aria-label", `${name}: ${n} ${n === 1 ? "person" : "people"}. Arrow keys move one`);
    node.setAttribute("aria-pressed", String(Boolean(picked && picked.s === s && picked.x === x)));
  };

  const say = ({ names, high, outputs, condition }, found) => {
    const risk = names.filter((_, x) => high[x]);
    const beliefs = outputs.map(({ name, belief }, y) => `${name} (${y ? "" : "belief "}${percent(condition < 0 ? 0 : belief[condition])})`);
    const shares = (x) => outputs.some(({ from }) => from[x] > 1e-9 && from.some((cell, other) => other !== x && cell > 1e-9));
    const joined = ["watchdog", "merging"].includes(state.mechanism) ? names.filter((_, x) => !high[x] && shares(x)) : [];
    told.textContent =
      `${risk.length ? `At this budget ${listed(risk)} would reveal too much.` : "At this budget every group may be published unchanged."} ` +
      (joined.length ? `Alone, ${listed(risk)} cannot hide, so the label includes ${listed(joined)} too. ` : "") +
      `${NAMES[state.mechanism][1]} publishes ${listed(beliefs)}, and keeps ${percent(found.nmi)} of the information about age.`;
  };

  // two numbers: how far beliefs go, and what is kept
  const sayShortly = ({ joint, outputs, condition }, found) => {
    const belief = ({ belief }) => (condition < 0 ? 0 : belief[condition]);
    const [least, ...rest] = [...outputs].sort((a, b) => belief(a) - belief(b));
    const most = rest.at(-1) ?? least;
    const before = percent(condition < 0 ? 0 : joint.prior[condition]);
    told.replaceChildren(
      `Before, everybody’s chance of the condition is ${before}. Now it goes `,
      make("strong", "", `from ${percent(belief(least))} (${least.name}) to ${percent(belief(most))} (${most.name})`),
      "; ",
      make("strong", "", percent(found.nmi)),
      " of the information about age is kept.",
    );
  };

  // --- what a reader does

  const change = (to, save = true) => {
    const rebuilt = to.bands && to.bands !== state?.bands;
    state = { ...state, ...to };
    if (rebuilt) build();
    draw();
    if (save) history.replaceState(history.state, "", `#${written(state, tables)}`);
  };
  const moved = (counts, from, to, n = 1) => {
    const some = Math.min(n, counts[from.s][from.x]);
    const made = copied(counts);
    made[from.s][from.x] -= some;
    made[to.s][to.x] += some;
    return made;
  };
  const same = (a, b) => a && b && a.s === b.s && a.x === b.x;

  // a group is picked, by a click or by Enter, and the next one that is chosen takes a person from it
  const choose = (cell) => {
    if (picked && !same(picked, cell)) return change({ counts: moved(state.counts, picked, cell) });
    picked = picked || !state.counts[cell.s][cell.x] ? null : cell;
    draw();
  };
  const pressed = (event, { s, x }) => {
    const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key] || [0, 0];
    if (["Enter", " "].includes(event.key)) choose({ s, x });
    else if (event.key === "Escape") draw((picked = null));
    else if (!(down || right)) return;
    else if (state.counts[s + right]?.[x + down] !== undefined) change({ counts: moved(state.counts, { s, x }, { s: s + right, x: x + down }, event.shiftKey ? 5 : 1) });
    event.preventDefault();
  };

  const at = (root, { clientX, clientY }) => new DOMPoint(clientX, clientY).matrixTransform(root.getScreenCTM().inverse());
  const under = ({ x: left, y: top }) => {
    const x = cells.groups.findIndex((group) => top < group.top + group.height + 6);
    const outside = left < -20 || left > cells.right + 20 || top < -20 || top > drawing.viewBox.baseVal.height + 20;
    return outside ? null : { s: left < cells.left(1) - 2 ? 0 : 1, x: x < 0 ? cells.groups.length - 1 : x };
  };
  const follow = (point) => ["cx", "cy"].forEach((name, i) => ghost.setAttribute(name, i ? point.y : point.x));
  drawing.addEventListener("pointerdown", (event) => {
    const from = event.target.closest(".lift-cell") && under(at(drawing, event));
    if (!from || event.button) return;
    held = { from, to: from, counts: state.counts };
    drawing.setPointerCapture(event.pointerId);
  });
  drawing.addEventListener("pointermove", (event) => {
    if (!held || !held.counts[held.from.s][held.from.x]) return;
    const point = at(drawing, event);
    const to = under(point) || held.from; // outside, the person goes back
    follow(point);
    if (same(to, held.to)) return;
    [held.to, held.away, picked] = [to, true, null];
    drawing.classList.add("lift-dragging");
    change({ counts: moved(held.counts, held.from, to) }, false);
  });
  const drop = (event) => {
    if (!held) return;
    const { from, away, counts } = held;
    held = null;
    drawing.classList.remove("lift-dragging");
    if (event.type === "pointercancel") change({ counts });
    else if (away) change({});
    else choose(from);
  };
  for (const over of ["pointerup", "pointercancel"]) drawing.addEventListener(over, drop);
  // a finger on a person or on the corner does not scroll the page; anywhere else it does
  box.addEventListener("touchstart", (event) => event.target.closest(".lift-cell, .lift-corner") && event.preventDefault(), { passive: false });

  const budget = (lower, upper) => {
    const [l, u] = [lower, upper].map((value) => Math.round(100 * between(value, 0, MOST)) / 100);
    change({ eps: l + u, lambda: l + u ? l / (l + u) : state.lambda });
  };
  const toward = (event) => {
    const point = at(map, event);
    budget((point.x - 32) / 96, (212 - point.y) / 96);
  };
  corner.addEventListener("pointerdown", (event) => {
    corner.setPointerCapture(event.pointerId);
    corner.focus();
    event.preventDefault();
  });
  corner.addEventListener("pointermove", (event) => corner.hasPointerCapture(event.pointerId) && toward(event));
  map.addEventListener("click", (event) => event.target.closest(".lift-corner") || toward(event));
  corner.addEventListener("keydown", (event) => {
    const step = event.shiftKey ? 0.25 : 0.05;
    const [right, high] = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step], Home: [-MOST, -MOST], End: [MOST, MOST] }[event.key] || [0, 0];
    if (!(right || high)) return;
    event.preventDefault();
    const { lower, upper } = alip(state.eps, state.lambda);
    budget(lower + right, upper + high);
  });

  const bands = button("", () => {
    const other = tables.find(({ names }) => names.length !== state.bands);
    change({ bands: other.names.length, counts: copied(other.counts) });
  });
  const back = button("Start again", () => {
    picked = null;
    change(base, false);
    history.replaceState(history.state, "", location.pathname + location.search);
  });

  const column = (word) => Object.assign(make("th", "", word), { scope: "col" });
  const switches = make("fieldset", "lift-switch", make("legend", "", "Mechanism"), ...radios);
  const side = make("div", "lift-side", map, make("table", "", make("thead", "", make("tr", "", make("td"), column("lifts"), column("retained"))), numbers));
  const stage = make("div", "lift-stage", make("div", "", drawing), ...(first ? [] : [side]));
  const hint = (words) => make("span", "", `${words} By keyboard: Tab, then arrow keys.`);
  switches.hidden = offered.length < 2; // a lesson before the first mechanism
  if (first) box.replaceChildren(switches, stage, told, make("div", "lift-below", back, hint("Drag a person to another age.")));
  else box.replaceChildren(switches, stage, told, more, make("div", "lift-below", bands, back, hint("Drag a person to another group, or the rectangle’s corner.")));
  const open = () => {
    const asked = location.hash.slice(1);
    if (/(^|&)mechanism=/.test(asked)) {
      change(read(asked, tables, base, offered), false);
      box.scrollIntoView({ block: "center" });
    } else if (!state) {
      change(base, false);
    }
  };
  open();
  addEventListener("hashchange", open);
  new ResizeObserver(() => draw()).observe(drawing.parentNode);
};

for (const box of document.querySelectorAll(".lift-living:not([data-alive])")) {
  box.dataset.alive = "";
  fill(box);
}

// a definition's button marks its parts of the page's picture, until it or the picture is used again
const pointers = [...document.querySelectorAll("button.lift-show[hidden]")];
const pictured = document.querySelector(".lift-living");
const point = (chosen) => {
  pointers.forEach((one) => one.setAttribute("aria-pressed", String(one === chosen)));
  if (chosen) pictured.dataset.shows = chosen.dataset.parts;
  else delete pictured.dataset.shows;
};
for (const pointer of pictured ? pointers : []) {
  pointer.hidden = false;
  pointer.addEventListener("click", () => {
    point(pointer.getAttribute("aria-pressed") === "true" ? null : pointer);
    if (pictured.dataset.shows) pictured.scrollIntoView({ block: "nearest" });
  });
}
for (const used of pointers.length && pictured ? ["pointerdown", "keydown"] : []) pictured.addEventListener(used, () => point(null));
