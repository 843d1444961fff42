// What the living pictures share: elements, sliders, people and budgets that can be moved, the colours of lifts.
(() => {
  const make = (tag, className, ...inside) => {
    const made = document.createElement(tag);
    if (className) made.className = className;
    made.append(...inside);
    return made;
  };
  const svg = (name, attributes, ...inside) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...inside);
    return made;
  };
  const percent = (share, digits = 0) => `${(100 * share).toFixed(digits)}\u00a0%`;
  const listed = (words) => (words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words.at(-1)}` : words.join(""));

  // matplotlib's PuOr_r, from purple (against the secret) over white (lift 1) to orange (for it); full colour at lift 2.5
  const SHADES = ["2d004b", "542788", "8073ac", "b2abd2", "d8daeb", "f7f7f7", "fee0b6", "fdb863", "e08214", "b35806", "7f3b08"];
  const shade = (lift) => {
    const place = 5 + 5 * Math.max(-1, Math.min(1, Math.log(lift) / Math.log(2.5)));
    const [low, part] = [Math.min(9, Math.floor(place)), place - Math.min(9, Math.floor(place))];
    const channel = (hex, i) => parseInt(hex.slice(2 * i, 2 * i + 2), 16);
    const mixed = [0, 1, 2].map((i) => Math.round((1 - part) * channel(SHADES[low], i) + part * channel(SHADES[low + 1], i)));
    return `rgb(${mixed.join(",")})`;
  };

  // a labelled slider; `said` is its value in words, which a screen reader hears, as is `name` where the label is too short
  const slider = (label, { min, max, step, value, said = String, name }, moved) => {
    const input = make("input");
    Object.assign(input, { type: "range", min, max, step });
    if (name) input.setAttribute("aria-label", name);
    const shown = make("span", "lift-value");
    shown.setAttribute("aria-hidden", "true");
    const set = (to) => {
      input.value = to;
      shown.textContent = said(to);
      input.setAttribute("aria-valuetext", said(to));
    };
    set(value);
    input.addEventListener("input", () => {
      set(Number(input.value));
      moved(Number(input.value));
    });
    return { node: make("label", "lift-slider", make("span", "", label), input, shown), set };
  };

  const choice = (label, options, chosen) => {
    const select = make("select", "", ...options.map((option) => make("option", "", option)));
    select.addEventListener("change", () => chosen(select.value));
    return make("label", "lift-choice", make("span", "", label), select);
  };

  const button = (text, pressed) => {
    const made = make("button", "", text);
    made.type = "button";
    made.addEventListener("click", pressed);
    return made;
  };

  // a column of sliders for the people of a symbol, one for each secret
  const people = (counts, x, secrets, name, moved) => {
    const said = (n) => String(Math.round(10 * n) / 10);
    const sliders = secrets.map((secret, s) =>
      slider(secret, { min: 0, max: 100, step: 1, value: counts[s][x], said, name: `${name}, ${secret}: people` }, (n) => {
        counts[s][x] = n;
        moved();
      }),
    );
    return { nodes: sliders.map(({ node }) => node), show: () => sliders.forEach(({ set }, s) => set(counts[s][x])) };
  };

  // the LDP budget eps and the share of it that the min-lift gets, E23's way to say a pair of budgets
  const budgets = (state, moved) => {
    const nats = (value) => `${value.toFixed(2)} nats`;
    return make(
      "div",
      "lift-budgets",
      slider("budget ε", { min: 0, max: 4, step: 0.1, value: state.eps, said: nats }, (value) => moved((state.eps = value))).node,
      slider("λ, the min-lift's share", { min: 0, max: 1, step: 0.05, value: state.share, said: (value) => value.toFixed(2) }, (value) =>
        moved((state.share = value)),
      ).node,
    );
  };

  const status = () => {
    const made = make("p", "lift-told");
    made.setAttribute("role", "status");
    return made;
  };

  // fill each place of a kind once
  const fill = (kind, build) => {
    for (const box of document.querySelectorAll(`.lift-living[data-kind="${kind}"]:not([data-alive])`)) {
      box.dataset.alive = "";
      build(box, JSON.parse(box.dataset.table));
    }
  };

  window.liftLiving = {
    ...window.liftLiving, make, svg, percent, listed, shade, slider, choice, button, people, budgets, status, fill,
  };
})();
