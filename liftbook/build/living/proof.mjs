// A stored proof of optimality, checked by liftlib/exact.py in Python in the page; then its steps are shown one by one
// while its tree and the boxes of posteriors are drawn. Each of its numbers can be changed first; then the check names the
// first step that fails.
const PAUSE = 80; // milliseconds between steps
const AS_FILE = "a page opened as a file may not start Python. Run “make serve” (or “python -m http.server” in this folder) and open it from there";

let engine; // the worker with Python, for all checks of the page
const load = async () => {
  if (location.protocol === "file:") throw new Error(AS_FILE);
  const { Engine } = await import(new URL(`${document.documentElement.dataset.content_root ?? "./"}_static/alive/engine.mjs`, document.baseURI));
  engine ??= new Engine("prover.mjs");
  await engine.start();
};

// each number of the problem: its group, what it is called, and the path to it
const numbersOf = ({ joint, notion, channel, proof }, { secrets, symbols }) => {
  const found = [["The promise", "budget ε", ["notion", "fields", "eps"]], ["The claim", "bound U", ["proof", "upper"]]];
  symbols.forEach((x, i) => found.push(["Prices", `λ of ${x}`, ["proof", "dual", i]]));
  symbols.forEach((x, i) => found.push(["Caps of the root", `cap of ${x}`, ["proof", "caps", i]]));
  symbols.forEach((x, i) => found.push(["Caps of the root", `weight for the cap of ${x}`, ["proof", "cap_weights", i]]));
  joint.forEach((row, s) => row.forEach((_, x) => found.push(["The table", `P(${secrets[s]}, ${symbols[x]})`, ["joint", s, x]])));
  channel.forEach((row, x) => row.forEach((_, y) => found.push(["The mechanism", `P(output ${y} | ${symbols[x]})`, ["channel", x, y]])));
  proof.kind.forEach((kind, k) => {
    if (kind) found.push([`Box ${k}`, `box ${k}: level`, ["proof", "level", k]]);
    found.push([`Box ${k}`, `box ${k}: weight w`, ["proof", "weights", 2 * k]], [`Box ${k}`, `box ${k}: number e`, ["proof", "weights", 2 * k + 1]]);
  });
  return found;
};
const at = (problem, path) => path.reduce((value, key) => value[key], problem);
const short = (value) => String(Number(value.toPrecision(4)));

// which posteriors a box has, in words
const words = ({ parent, child, kind, symbol, level }, k, symbols) => {
  if (!k) return "all posteriors within the caps";
  const [above, bound] = [parent[k], short(level[parent[k]])];
  if (kind[above] === 2) return `of box ${above}, ${symbols[symbol[above]]} ${child[k] ? "≥" : "≤"} ${bound}`;
  return child[k] < 0 ? `of box ${above}, none that may be 0 exceeds ${bound}` : `of box ${above}, ${symbols[child[k]]} is the first above ${bound}`;
};

// where the boxes of the tree are drawn: leaves side by side, a parent in the middle of its children
const treeOf = ({ parent }) => {
  const places = parent.map(() => ({ children: [] }));
  parent.forEach((above, k) => above >= 0 && places[above].children.push(k));
  let leaves = 0;
  const lay = (k, depth) => {
    const { children } = places[k];
    children.forEach((one) => lay(one, depth + 1));
    const x = children.length ? (places[children[0]].x + places[children.at(-1)].x) / 2 : 16 + 32 * leaves;
    Object.assign(places[k], { x, y: 16 + 40 * depth });
    if (!children.length) leaves += 1;
  };
  lay(0, 0);
  return { places, width: 32 * leaves, height: 32 + 40 * Math.max(...places.map(({ y }) => (y - 16) / 40)) };
};

// the part of a polygon of posteriors on which a linear function is at least 0
const clipped = (polygon, value) =>
  polygon.flatMap((v, i) => {
    const next = polygon[(i + 1) % polygon.length];
    const [a, b] = [value(v), value(next)];
    const crossing = v.map((one, x) => one + (a / (a - b)) * (next[x] - one));
    return [...(a >= 0 ? [v] : []), ...(a * b < 0 ? [crossing] : [])];
  });
const TRIANGLE = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
const drawn = (polygon) => polygon.map(([, right, top]) => `${(10 + 240 * (right + top / 2)).toFixed(1)},${(228 - 208 * top).toFixed(1)}`).join(" ");
const region = (low, high) => {
  const part = (x, sign, bound) => (v) => sign * (v[x] - bound);
  return low.reduce((polygon, a, x) => clipped(clipped(polygon, part(x, 1, a)), part(x, -1, high[x])), TRIANGLE);
};

const start = (place) => {
  const [stored, names] = [place.dataset.problem, JSON.parse(place.dataset.names)];
  const numbers = numbersOf(JSON.parse(stored), names);
  const tree = treeOf(JSON.parse(stored).proof);
  let [problem, timer, turn] = [JSON.parse(stored), 0, 0]; // a turn ends when a number is changed or a check begins
  const groups = [...new Set(numbers.map(([group]) => group))];
  const options = groups.map((group) => `<optgroup label="${group}">${numbers.map(([of, name], i) => (of === group ? `<option value="${i}">${name} = ${short(at(problem, numbers[i][2]))}</option>` : "")).join("")}</optgroup>`);
  place.innerHTML = `<form><button>Check the proof</button> <label>Number <select>${options.join("")}</select></label> <label>Value <input type="text" inputmode="decimal" autocomplete="off" size="19"></label> <button type="button" hidden>Restore all numbers</button></form>
    <p role="status"></p>
    <div class="lift-two"><svg class="lift-tree" viewBox="0 0 ${tree.width} ${tree.height}" role="img"></svg><svg class="lift-boxes" viewBox="0 0 260 248" role="img"></svg></div>
    <ol tabindex="0" aria-label="Steps of the check"></ol>`;
  const [form, status, list] = ["form", "[role=status]", "ol"].map((name) => place.querySelector(name));
  const [select, input, restore] = ["select", "input", "[type=button]"].map((name) => form.querySelector(name));
  const [treeBox, boxes] = place.querySelectorAll("svg");
  const path = () => numbers[select.value][2];

  const draw = (seen, halfspaces) => {
    const look = (k) => (seen.has(k) ? (seen.get(k).fails ? "lift-fails" : "lift-bounded") : "lift-waits");
    const lines = tree.places.flatMap(({ x, y, children }) => children.map((k) => `<path class="${look(k)}" d="M${x} ${y}L${tree.places[k].x} ${tree.places[k].y}"/>`));
    const nodes = tree.places.map(({ x, y }, k) => `<g class="${look(k)}"><circle cx="${x}" cy="${y}" r="11"/><text x="${x}" y="${y + 4}" text-anchor="middle">${look(k) === "lift-fails" ? "✗" : k}</text></g>`);
    treeBox.innerHTML = lines.join("") + nodes.join("");
    treeBox.setAttribute("aria-label", `The tree of ${tree.places.length} boxes, ${seen.size} of them checked`);
    const regions = [...seen].map(([k, { low, high }]) => `<polygon class="${look(k)}" points="${drawn(region(low, high))}"/>`);
    const allowed = halfspaces && halfspaces.reduce((polygon, g) => clipped(polygon, (v) => g.reduce((sum, one, x) => sum + one * v[x], 0)), TRIANGLE);
    const corners = [[10, 244, "start"], [250, 244, "end"], [130, 14, "middle"]];
    boxes.innerHTML = `<polygon class="lift-simplex" points="${drawn(TRIANGLE)}"/>${regions.join("")}${allowed ? `<polygon class="lift-allowed" points="${drawn(allowed)}"/>` : ""}${corners.map(([x, y, anchor], i) => `<text x="${x}" y="${y}" text-anchor="${anchor}">${names.symbols[i]}</text>`).join("")}`;
    boxes.setAttribute("aria-label", `The triangle of posteriors with the ${seen.size} boxes checked so far, and a dashed border around those that the budget allows`);
  };

  const told = () => {
    const changes = numbers.filter(([, , path]) => at(problem, path) !== at(JSON.parse(stored), path));
    restore.hidden = !changes.length;
    return changes.map(([, name, path]) => `${name} = ${at(problem, path)} instead of ${at(JSON.parse(stored), path)}`).join(", ");
  };
  const reset = () => {
    const changed = told();
    turn += 1;
    clearTimeout(timer);
    list.replaceChildren();
    draw(new Map());
    status.textContent = changed ? `Changed: ${changed}. Check the proof again.` : "Nothing has been checked yet.";
    return changed;
  };
  const choose = () => (input.value = at(problem, path()));
  const add = (text, fails) => {
    const item = document.createElement("li");
    item.className = fails ? "lift-fails" : "";
    item.textContent = text;
    list.append(item);
    list.scrollTop = list.scrollHeight;
  };

  const show = (steps, changed) => {
    const [seen, left] = [new Map(), [...steps]];
    let halfspaces;
    const next = () => {
      const one = left.shift();
      if (one.facts) {
        status.textContent = `Proven${changed ? `, even with ${changed}` : ""}: no mechanism that satisfies ${one.facts.notion} reveals more than ${one.facts.bound}. The stored mechanism is within ${one.facts.gap} of the best.`;
        return;
      }
      if (one.failed) {
        status.textContent = `Not proven${changed ? ` with ${changed}` : ""}. The first step that fails: ${one.failed}.`;
        add(one.failed, true);
        return;
      }
      if (one.halfspaces) halfspaces = one.halfspaces;
      if (one.step) add(one.step);
      if ("box" in one) {
        seen.set(one.box, one);
        const bound = one.z === null ? "covered by the boxes below it" : `z ≥ ${one.z}`;
        if (!one.fails) add(`Box ${one.box} (${words(problem.proof, one.box, names.symbols)}): ${bound}`);
      }
      draw(seen, halfspaces);
      if (matchMedia("(prefers-reduced-motion: reduce)").matches) next();
      else timer = setTimeout(next, PAUSE);
    };
    next();
  };

  const run = async () => {
    const changed = reset();
    const mine = turn;
    try {
      status.textContent = "Python is starting in your browser, which takes a few seconds …";
      await load();
      if (mine === turn) status.textContent = "Checking …";
      const steps = await engine.call("check", JSON.stringify(problem));
      if (mine === turn) show(steps, changed);
    } catch (error) {
      if (mine === turn) status.textContent = `Nothing has been checked: ${error.message}.`;
    }
  };

  select.addEventListener("change", choose);
  input.addEventListener("input", () => {
    const value = Number(input.value.replace(",", ".").replace("−", "-") || NaN);
    at(problem, path().slice(0, -1))[path().at(-1)] = value;
    reset();
  });
  restore.addEventListener("click", () => {
    problem = JSON.parse(stored);
    choose();
    reset();
    select.focus();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
  choose();
  reset();
};

document.querySelectorAll(".lift-checker").forEach(start);
