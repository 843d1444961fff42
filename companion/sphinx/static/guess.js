// A curve that readers may sketch before they look at it: drag over the plot, or move its points with the arrow keys.
(() => {
  const WIDTH = 640, HEIGHT = 340, LEFT = 62, RIGHT = 16, TOP = 14, BOTTOM = 52, KNOBS = 8;
  const make = (name, attributes, parent) => {
    const one = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
    parent?.append(one);
    return one;
  };
  const short = (value) => Number(value.toPrecision(2)).toString();
  const between = (xs, ys, x) => {
    let i = xs.findIndex((one) => one >= x);
    if (i < 0) i = xs.length - 1;
    if (i === 0) return ys[0];
    return ys[i - 1] + ((ys[i] - ys[i - 1]) * (x - xs[i - 1])) / (xs[i] - xs[i - 1]);
  };
  const ticks = (low, high) => {
    const step = [1, 2, 5, 10].map((one) => one * 10 ** Math.floor(Math.log10((high - low) / 4)))
      .find((one) => (high - low) / one <= 5.5);
    const found = [];
    for (let at = Math.ceil(low / step - 1e-9) * step; at <= high + 1e-9 * step; at += step) found.push(at);
    return found;
  };

  const start = (place) => {
    const { x, y, limits: [low, high], x_label: across, y_label: up, name } = JSON.parse(place.dataset.curve);
    const first = x[0], last = x[x.length - 1];
    const atX = (value) => LEFT + ((value - first) / (last - first)) * (WIDTH - LEFT - RIGHT);
    const atY = (value) => HEIGHT - BOTTOM - ((value - low) / (high - low)) * (HEIGHT - TOP - BOTTOM);
    const path = (xs, ys) => `M${xs.map((one, i) => `${atX(one).toFixed(1)} ${atY(ys[i]).toFixed(1)}`).join("L")}`;
    const xs = Array.from({ length: KNOBS }, (_, i) => first + ((last - first) * i) / (KNOBS - 1));
    const ys = xs.map(() => (low + high) / 2);

    const svg = make("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": `Sketch of ${up}` });
    for (const at of ticks(low, high)) {
      make("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: atY(at), y2: atY(at), class: "grid" }, svg);
      make("text", { x: LEFT - 8, y: atY(at) + 5, "text-anchor": "end" }, svg).textContent = short(at);
    }
    for (const at of ticks(first, last))
      make("text", { x: atX(at), y: HEIGHT - BOTTOM + 20, "text-anchor": "middle" }, svg).textContent = short(at);
    make("path", { d: `M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH - RIGHT}`, class: "axis" }, svg);
    make("text", { x: (LEFT + WIDTH) / 2, y: HEIGHT - 8, "text-anchor": "middle" }, svg).textContent = across;
    make("text", { transform: `translate(16 ${(HEIGHT - BOTTOM) / 2}) rotate(-90)`, "text-anchor": "middle" }, svg)
      .textContent = up;
    const mine = make("path", { class: "mine" }, svg);
    const knobs = xs.map((one) => make("circle", {
      cx: atX(one), r: 7, class: "knob", tabindex: 0, role: "slider", "aria-orientation": "vertical",
      "aria-label": `${up} at ${short(one)}`, "aria-valuemin": low, "aria-valuemax": high,
    }, svg));
    const draw = () => {
      mine.setAttribute("d", path(xs, ys));
      knobs.forEach((knob, i) => {
        knob.setAttribute("cy", atY(ys[i]));
        knob.setAttribute("aria-valuenow", short(ys[i]));
      });
    };
    const move = (i, value) => {
      ys[i] = Math.min(high, Math.max(low, value));
      draw();
    };
    let done = false;
    const sketch = (event) => {
      if (done || !(event.buttons & 1)) return;
      const box = svg.getBoundingClientRect();
      const at = [(event.clientX - box.left) / box.width * WIDTH, (event.clientY - box.top) / box.height * HEIGHT];
      const i = Math.round(((at[0] - LEFT) / (WIDTH - LEFT - RIGHT)) * (KNOBS - 1));
      move(Math.min(KNOBS - 1, Math.max(0, i)), low + (high - low) * (HEIGHT - BOTTOM - at[1]) / (HEIGHT - TOP - BOTTOM));
      event.preventDefault();
    };
    svg.addEventListener("pointerdown", (event) => { svg.setPointerCapture(event.pointerId); sketch(event); });
    svg.addEventListener("pointermove", sketch);
    knobs.forEach((knob, i) => knob.addEventListener("keydown", (event) => {
      const steps = { ArrowUp: 1, ArrowDown: -1, PageUp: 5, PageDown: -5 }[event.key];
      if (done || !steps) return;
      move(i, ys[i] + (steps * (high - low)) / 50);
      event.preventDefault();
    }));
    draw();

    const button = (text, act, kind = "") => {
      const one = document.createElement("button");
      one.type = "button";
      one.className = kind;
      one.textContent = text;
      one.addEventListener("click", act);
      return one;
    };
    const said = document.createElement("p");
    said.className = "said";
    said.setAttribute("role", "status");
    const figure = document.getElementById(place.dataset.figure);
    const hidden = []; // while the reader sketches: the figure and what is said about it
    for (let one = figure.closest(".cell") ?? figure; one && !one.matches("section, .companion-guess"); one = one.nextElementSibling)
      hidden.push(one);
    const show = (shown) => hidden.forEach((one) => one.classList.toggle("companion-guessed", !shown));
    const open = (opened) => {
      place.classList.toggle("open", opened);
      begin.hidden = opened;
      sketchbook.hidden = !opened;
      show(!opened);
    };
    const compare = () => {
      done = true;
      make("path", { d: path(x, y), class: "true" }, svg);
      const far = x.map((one, i) => between(xs, ys, one) - y[i]);
      const most = far.reduce((best, one, i) => (Math.abs(one) > Math.abs(far[best]) ? i : best), 0);
      const mean = far.reduce((sum, one) => sum + Math.abs(one), 0) / far.length;
      said.textContent = mean < 0.03 * (high - low)
        ? `Very close: you were ${short(mean)} away on average.`
        : `You were ${short(mean)} away on average. The largest difference is at ${short(x[most])}: you drew ` +
          `${short(y[most] + far[most])}, and ${name} has ${short(y[most])}.`;
      buttons.replaceChildren();
      show(true);
    };
    const sketchbook = document.createElement("div");
    sketchbook.append(...place.childNodes);
    const begin = button("Guess first", () => { open(true); knobs[0].focus({ preventScroll: true }); });
    const buttons = document.createElement("div");
    buttons.append(button("Compare", compare, "go"), button("Skip", () => open(false)));
    const help = document.createElement("p");
    help.textContent = "Drag over the plot to sketch the curve. By keyboard: Tab to a point, then the arrow keys.";
    sketchbook.append(svg, help, buttons, said);
    place.append(begin, sketchbook);
    place.hidden = false;
    open(false);
    addEventListener("hashchange", () => { // a link leads to what is hidden
      const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
      if (hidden.some((one) => one.contains(target))) show(true);
    });
    document.addEventListener("companion-run-begins", () => show(true)); // who runs the page wants its figures
  };
  for (const place of document.querySelectorAll(".companion-guess"))
    if (document.getElementById(place.dataset.figure)) start(place);
})();
