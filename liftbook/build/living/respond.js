// Merge and respond: one table of people, one budget, and what four mechanisms make of it, side by side: which symbols are
// risky, what is merged or randomised, and how much of H(X) each keeps, here and at every other budget.
(() => {
  const { sum, jointOf, alip, risky, nmi, liftsOf } = window.liftLiving;
  const { make, svg, percent, listed, shade, button, people, budgets, status, fill } = window.liftLiving;

  const MECHANISMS = [
    ["watchdog", "watchdog", "Watchdog", "the watchdog"],
    ["merging", "merging", "Subset merging", "subset merging"],
    ["subsetResponse", "subset", "Subset random response", "subset random response"],
    ["optimum", "optimum", "Optimal response", "the optimal response"],
  ];
  const MOST = 4;
  const GAP = 0.06; // between two bars of a column; the masses of a column add up to 1

  // outputs in the order of the symbols that they come from, so that bands cross little
  const ordered = (outputs) => {
    const place = (output) => sum(output.map((mass, x) => x * mass)) / sum(output);
    return [...outputs].sort((a, b) => place(a) - place(b));
  };

  const flow = (joint, made, names) => {
    const outputs = ordered(made);
    const tall = 200 / (1 + GAP * (Math.max(names.length, outputs.length) - 1));
    const tops = (masses) => masses.map((_, i) => 4 + tall * (sum(masses.slice(0, i)) + GAP * i));
    const [left, right] = [tops(joint.mass), tops(outputs.map(sum))];
    const bars = svg("g", { class: "lift-shaded" });
    const box = svg("svg", { viewBox: "0 0 300 210", role: "img" }, bars);
    const bar = (x, top, mass, lift) => bars.append(svg("rect", { class: "lift-bar", x, y: top, width: 13, height: tall * mass, fill: shade(lift) }));
    outputs.forEach((output, y) => {
      const lift = liftsOf(joint, output)[0];
      output.forEach((mass, x) => {
        if (mass < 1e-9) return;
        const from = left[x] + tall * sum(outputs.slice(0, y).map((other) => other[x]));
        const to = right[y] + tall * sum(output.slice(0, x));
        const high = tall * mass;
        const d = `M75 ${from}C150 ${from} 150 ${to} 225 ${to}v${high}C150 ${to + high} 150 ${from + high} 75 ${from + high}Z`;
        bars.append(svg("path", { class: "lift-band", d, fill: shade(lift) }));
      });
      bar(225, right[y], sum(output), lift);
      box.append(svg("text", { x: 243, y: right[y] + (tall * sum(output)) / 2 + 4 }, lift.toFixed(2)));
    });
    names.forEach((name, x) => {
      bar(62, left[x], joint.mass[x], joint.lifts[0][x]);
      box.append(svg("text", { x: 57, y: left[x] + (tall * joint.mass[x]) / 2 + 4, "text-anchor": "end" }, `${name} ${joint.lifts[0][x].toFixed(2)}`));
    });
    box.setAttribute("aria-label", words(outputs, names, joint));
    return box;
  };

  // an output and what goes there, in words
  const words = (outputs, names, joint) =>
    outputs
      .map((output) => {
        const some = names.filter((_, x) => output[x] > 1e-9);
        const whole = output.every((mass, x) => mass < 1e-9 || joint.mass[x] - mass < 1e-9);
        const told = whole ? (some.length > 1 ? `${listed(some)} merged` : `${some[0]} as it is`) : `a part of ${listed(some)}`;
        return `${told}, lift ${liftsOf(joint, output)[0].toFixed(2)}`;
      })
      .join("; ");

  // utility against the budget, with a mark where the budget stands
  const chart = (curves, eps, kept) => {
    const [across, up] = [(value) => 34 + (value / MOST) * 300, (value) => 180 - value * 165];
    const box = svg("svg", { viewBox: "0 0 350 215", role: "img", "aria-label": "Utility of the four mechanisms against the budget from 0 to 4 nats; the text says it at the budget chosen." });
    box.append(svg("path", { class: "lift-axis", d: "M34 10V180H338" }), svg("path", { class: "lift-now", d: `M${across(eps)} 10V180` }));
    for (const tick of [0, 1, 2, 3, 4]) box.append(svg("text", { x: across(tick), y: 195, "text-anchor": "middle" }, String(tick)));
    for (const tick of [0, 0.5, 1]) box.append(svg("text", { x: 29, y: up(tick) + 4, "text-anchor": "end" }, String(tick)));
    box.append(svg("text", { x: 186, y: 212, "text-anchor": "middle" }, "budget ε (nats)"), svg("text", { x: 40, y: 14 }, "utility, NMI"));
    MECHANISMS.forEach(([key, look]) => {
      const points = curves.map(([at, values]) => `${across(at).toFixed(1)},${up(values[key]).toFixed(1)}`).join(" ");
      box.append(svg("polyline", { class: `lift-line lift-${look}`, points }), svg("circle", { class: `lift-mark lift-${look}`, cx: across(eps), cy: up(kept[key]), r: 3.5 }));
    });
    return box;
  };

  const notionOf = ({ eps, share }) => alip(share * eps, (1 - share) * eps);
  const made = (joint, state) => Object.fromEntries(MECHANISMS.map(([key]) => [key, window.liftLiving[key](joint, notionOf(state))]));
  const utilities = (joint, outputs) => Object.fromEntries(Object.entries(outputs).map(([key, one]) => [key, nmi(joint, one)]));

  fill("respond", (box, [{ names, secrets, counts }]) => {
    const state = { eps: 1, share: 0.5 };
    const current = counts.map((row) => [...row]);
    let curves = null; // of this table, at one share of the budget
    const [symbols, told, picture] = [make("ul", "lift-symbols"), status(), make("div", "lift-plot")];
    const panels = MECHANISMS.map(([key, look, title]) => {
      const [shown, kept] = [make("div"), make("span", "lift-kept")];
      const line = svg("svg", { viewBox: "0 0 30 10", "aria-hidden": "true", class: "lift-sample" }, svg("path", { class: `lift-line lift-${look}`, d: "M0 5H30" }));
      return { key, shown, kept, node: make("div", "lift-panel-of", make("div", "lift-title", line, make("b", "", title), kept), shown) };
    });
    const groups = names.map((name, x) => people(current, x, secrets, name, () => moved()));
    const moved = () => {
      curves = null;
      draw();
    };

    const draw = () => {
      const joint = jointOf(current);
      if (!joint.at.length) {
        told.textContent = "There is nobody: let there be somebody in some group.";
        for (const part of [symbols, picture, ...panels.map(({ shown }) => shown), ...panels.map(({ kept }) => kept)]) part.replaceChildren();
        return;
      }
      const mine = joint.at.map((x) => names[x]);
      const high = risky(joint, notionOf(state));
      const outputs = made(joint, state);
      const kept = utilities(joint, outputs);
      if (curves?.share !== state.share) {
        const grid = Array.from({ length: 41 }, (_, at) => (at * MOST) / 40);
        curves = { share: state.share, points: grid.map((eps) => [eps, utilities(joint, made(joint, { ...state, eps }))]) };
      }
      symbols.replaceChildren(...mine.map((name, x) => make("li", high[x] ? "lift-too-telling" : "", `${name} ${high[x] ? "risky" : "safe"}`)));
      for (const panel of panels) {
        panel.shown.replaceChildren(flow(joint, outputs[panel.key], mine));
        panel.kept.textContent = `keeps ${percent(kept[panel.key])}`;
      }
      picture.replaceChildren(chart(curves.points, state.eps, kept));
      const [lower, upper] = [Math.exp(-state.share * state.eps), Math.exp((1 - state.share) * state.eps)];
      const said = mine.filter((_, x) => high[x]);
      told.textContent =
        `Lifts may lie between ${lower.toFixed(2)} and ${upper.toFixed(2)}. ${said.length ? `Risky: ${listed(said)}.` : "No band is risky, and all pass as they are."} ` +
        `What is kept of H(X): ${listed(MECHANISMS.map(([key, , , name]) => `${percent(kept[key])} by ${name}`))}.`;
    };

    const back = button("Back to the hundred people", () => {
      counts.forEach((row, s) => row.forEach((n, x) => (current[s][x] = n)));
      groups.forEach((group) => group.show());
      moved();
    });
    const places = make("div", "lift-groups", ...groups.map(({ nodes }, x) => make("div", "lift-group", make("b", "", names[x]), ...nodes)));
    box.replaceChildren(
      budgets(state, () => draw()),
      symbols,
      make("div", "lift-four", ...panels.map(({ node }) => node)), make("div", "lift-beside", picture, told), make("details", "", make("summary", "", "Move the people"), places, back));
    draw();
  });
})();
