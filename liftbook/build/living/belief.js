// Belief to lift: people of each group that can be moved, the beliefs before and after, the lifts, and the plane of the two
// extreme lifts with what a budget allows.
(() => {
  const { measures, keeps, make, svg, percent, listed, shade, slider, button, people, status, fill } = window.liftLiving;

  // from log Psi in [-2, 0] across and log Lambda in [0, 2] up, to the picture's 250 by 245
  const MOST = 2;
  const across = (value) => 230 - (Math.min(MOST, -value) / MOST) * 200;
  const up = (value) => 210 - (Math.min(MOST, value) / MOST) * 200;

  const plane = (symbols, names, eps) => {
    const box = svg("svg", { viewBox: "0 0 250 245", role: "img" });
    const [safe, strip] = [Math.min(eps, MOST), Math.min(2 * eps, 2 * MOST)];
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
    [0, 1, 2].forEach((tick) =>
      box.append(
        svg("text", { x: across(-tick), y: 223, "text-anchor": "middle" }, tick ? `−${tick}` : "0"),
        svg("text", { x: 234, y: up(tick) + 4 }, String(tick)),
      ),
    );
    symbols.forEach((one, x) => {
      if (!one.people) return;
      const [left, top] = [across(one.logPsi), up(one.logLambda)];
      const radius = 4 + Math.sqrt(one.people) / 2;
      const [beside, anchor] = left < 80 ? [radius, "start"] : [-radius, "end"];
      box.append(
        svg("circle", { class: keeps(one, eps).lip ? "lift-safe" : "lift-risky", cx: left, cy: top, r: radius }),
        svg("text", { x: left + beside, y: top - radius, "text-anchor": anchor }, names[x]),
      );
    });
    const told = symbols.filter((one) => one.people).map((one) => keeps(one, eps).lip);
    box.setAttribute("aria-label", `Groups by log Psi and log Lambda; ${told.filter(Boolean).length} of ${told.length} keep LIP at ${eps.toFixed(2)} nats.`);
    return box;
  };

  // the belief in the first secret before and after, and each secret's lift
  const beliefs = (prior, { people: total, posterior }, secrets) => {
    if (!total) return [make("span", "", "nobody")];
    const picture = svg(
      "svg",
      { viewBox: "0 0 100 22", "aria-hidden": "true", preserveAspectRatio: "none" },
      svg("rect", { class: "lift-before", width: 100 * prior[0], height: 9 }),
      svg("rect", { y: 12, width: 100 * posterior[0], height: 9, fill: shade(posterior[0] / (prior[0] || 1)) }),
    );
    const lifts = secrets
      .map((secret, s) => [secret, posterior[s] / prior[s]])
      .filter((_, s) => prior[s] > 0)
      .map(([secret, lift]) => {
        const colour = make("i", "lift-colour");
        colour.style.background = shade(lift);
        return make("span", "lift-of", colour, `lift of ${secret} ${lift.toFixed(2)}`);
      });
    return [picture, make("span", "", `${percent(prior[0], 1)} before, ${percent(posterior[0], 1)} after`), ...lifts];
  };

  fill("belief", (box, [{ names, secrets, counts }]) => {
    const current = counts.map((row) => [...row]);
    let eps = 0.7;
    const groups = names.map((name, x) => {
      const control = people(current, x, secrets, name, () => draw());
      const shown = make("div", "lift-bars");
      return { ...control, shown, node: make("div", "lift-group", make("b", "", name), ...control.nodes, shown) };
    });
    const budget = slider("budget ε of LIP", { min: 0, max: 2, step: 0.05, value: eps, said: (value) => `${value.toFixed(2)} nats` }, (value) => {
      eps = value;
      draw();
    });
    const picture = make("div", "lift-plane");
    const told = status();
    const back = button("Back to the hundred people", () => {
      counts.forEach((row, s) => row.forEach((n, x) => (current[s][x] = n)));
      groups.forEach((group) => group.show());
      draw();
    });
    const draw = () => {
      const { total, prior, symbols } = measures(current);
      groups.forEach(({ shown }, x) => shown.replaceChildren(...(total ? beliefs(prior, symbols[x], secrets) : [])));
      picture.replaceChildren(...(total ? [plane(symbols, names, eps)] : []));
      if (!total) {
        told.textContent = "There is nobody: let there be somebody in some group.";
        return;
      }
      const risky = names.filter((_, x) => symbols[x].people && !keeps(symbols[x], eps).lip);
      told.textContent =
        (risky.length ? `Too telling at this budget: ${listed(risky)}. ` : "All groups may be published as they are. ") +
        "The square is what LIP allows, the triangle what LDP does at twice the budget.";
    };
    box.replaceChildren(make("div", "lift-groups", ...groups.map(({ node }) => node)), make("div", "lift-beside", picture, make("div", "", budget.node, told, back)));
    draw();
  });
})();
