// Belief to lift: counts of people that can be changed, the beliefs and lifts that they give, and the plane of the two
// extreme lifts with what a budget allows. Closed forms, so that it runs at once and from a file too.
(() => {
  const log = Math.log;

  // of counts by secret and symbol: the prior, and for each symbol with people its posterior and lifts
  const measures = (counts) => {
    const total = counts.flat().reduce((sum, n) => sum + n, 0);
    const prior = counts.map((row) => row.reduce((sum, n) => sum + n, 0) / total);
    const symbols = counts[0].map((_, x) => {
      const people = counts.reduce((sum, row) => sum + row[x], 0);
      const posterior = counts.map((row) => row[x] / people);
      const lifts = posterior.map((belief, s) => belief / prior[s]).filter((_, s) => prior[s] > 0);
      const [least, largest] = [Math.min(...lifts), Math.max(...lifts)];
      return { people, posterior, lifts, logPsi: log(least), logLambda: log(largest) };
    });
    return { total, prior, symbols };
  };

  // whether a symbol keeps each notion at a budget: LIP at eps, LDP at twice that, which LIP implies
  const keeps = ({ logPsi, logLambda }, eps) => ({
    lip: -logPsi <= eps && logLambda <= eps,
    ldp: logLambda - logPsi <= 2 * eps,
  });

  const percent = (value) => `${(100 * value).toFixed(1)} %`;
  const svg = (name, attributes, text) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const make = (tag, className, text) => {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  // from log Psi in [-3, 0] across and log Lambda in [0, 3] up, to the picture's 240 by 240
  const MOST = 3;
  const across = (value) => 230 - (Math.min(MOST, -value) / MOST) * 200;
  const up = (value) => 210 - (Math.min(MOST, value) / MOST) * 200;

  const plane = (symbols, names, eps) => {
    const box = svg("svg", { viewBox: "0 0 250 245", role: "img" });
    const safe = Math.min(eps, MOST);
    const strip = Math.min(2 * eps, 2 * MOST);
    // LDP: log Lambda - log Psi <= 2 eps, a triangle cut by the picture's edges
    const corners = [[0, 0], [Math.min(strip, MOST), 0]];
    if (strip > MOST) corners.push([MOST, strip - MOST], [strip - MOST, MOST]);
    corners.push([0, Math.min(strip, MOST)]);
    box.append(
      svg("polygon", { class: "lift-ldp", points: corners.map(([a, b]) => `${across(-a)},${up(b)}`).join(" ") }),
      svg("rect", { class: "lift-lip", x: across(-safe), y: up(safe), width: 230 - across(-safe), height: 210 - up(safe) }),
      svg("path", { class: "lift-axis", d: "M30 210H230V10" }),
      svg("text", { x: 130, y: 240, "text-anchor": "middle" }, "log Ψ, how much is ruled out"),
      svg("text", { x: 20, y: 110, "text-anchor": "middle", transform: "rotate(-90 20 110)" }, "log Λ, how much is confirmed"),
    );
    symbols.forEach((one, x) => {
      if (!one.people) return;
      const [left, top] = [across(one.logPsi), up(one.logLambda)];
      const kept = keeps(one, eps).lip;
      box.append(
        svg("circle", { class: kept ? "lift-safe" : "lift-risky", cx: left, cy: top, r: 4 + Math.sqrt(one.people) / 2 }),
        svg("text", { x: left - 8, y: top - 8, "text-anchor": "end" }, names[x]),
      );
    });
    const told = symbols.filter((one) => one.people).map((one) => keeps(one, eps).lip);
    box.setAttribute("aria-label", `Symbols by log Psi and log Lambda; ${told.filter(Boolean).length} of ${told.length} keep LIP at ${eps.toFixed(2)} nats.`);
    return box;
  };

  const bars = (prior, { people, posterior, lifts }, name) => {
    const box = make("div", "lift-bars");
    box.append(make("b", "", name));
    if (!people) {
      box.append(make("span", "", "nobody"));
      return box;
    }
    const picture = svg("svg", { viewBox: "0 0 100 22", "aria-hidden": "true", preserveAspectRatio: "none" });
    picture.append(
      svg("rect", { class: "lift-before", width: 100 * prior, height: 9 }),
      svg("rect", { class: "lift-after", y: 12, width: 100 * posterior[0], height: 9 }),
    );
    const lift = prior > 0 ? `, lift ${lifts[0].toFixed(2)}` : "";
    box.append(picture, make("span", "", `${percent(prior)} before, ${percent(posterior[0])} after${lift}`));
    return box;
  };

  const build = (box) => {
    const { names, secrets, counts } = JSON.parse(box.dataset.table);
    const current = counts.map((row) => [...row]);
    const controls = make("div", "lift-counts");
    secrets.forEach((secret, s) =>
      names.forEach((name, x) => {
        const label = make("label", "", `${name}, ${secret}`);
        const input = make("input");
        Object.assign(input, { type: "range", min: 0, max: 60, step: 1, value: current[s][x] });
        const said = make("output", "", current[s][x]);
        input.addEventListener("input", () => {
          current[s][x] = Number(input.value);
          said.textContent = input.value;
          draw();
        });
        label.append(input, said);
        controls.append(label);
      }),
    );
    const budget = make("label", "lift-budget", "budget ε of LIP, nats");
    const slider = make("input");
    Object.assign(slider, { type: "range", min: 0, max: 3, step: 0.05, value: 0.7 });
    const eps = make("output");
    slider.addEventListener("input", () => draw());
    budget.append(slider, eps);
    const beliefs = make("div", "lift-beliefs");
    const picture = make("div", "lift-plane");
    const told = make("p");
    told.setAttribute("role", "status");
    const back = make("button", "", "Back to the hundred people");
    back.type = "button";
    back.addEventListener("click", () => {
      box.replaceChildren();
      build(box);
    });
    const draw = () => {
      eps.textContent = Number(slider.value).toFixed(2);
      const { total, prior, symbols } = measures(current);
      if (!total) {
        told.textContent = "There is nobody: let there be somebody in some group.";
        beliefs.replaceChildren();
        picture.replaceChildren();
        return;
      }
      beliefs.replaceChildren(...symbols.map((one, x) => bars(prior[0], one, names[x])));
      picture.replaceChildren(plane(symbols, names, Number(slider.value)));
      const risky = names.filter((_, x) => symbols[x].people && !keeps(symbols[x], Number(slider.value)).lip);
      told.textContent = risky.length
        ? `Too telling at this budget: ${risky.join(", ")}. The square is what LIP allows, the triangle what LDP does at twice the budget.`
        : "All groups may be published as they are. The square is what LIP allows, the triangle what LDP does at twice the budget.";
    };
    box.append(controls, budget, beliefs, picture, told, back);
    draw();
  };

  window.liftBelief = { measures, keeps };
  for (const box of document.querySelectorAll(".lift-belief")) build(box);
})();
