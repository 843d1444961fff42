// The polytope: which rows P(X=.|Y=y) a notion allows for an output, on the triangle of distributions on three symbols; its
// corners, and those that the optimal response uses. People and budgets can be moved, and the cross of P_X be dragged.
(() => {
  const { sum, jointOf, alip, ldp, response, entropy, nmi, liftsOf } = window.liftLiving;
  const { make, svg, percent, listed, button, people, budgets, status, choice, fill } = window.liftLiving;

  const CORNERS = [[30, 250], [290, 250], [160, 25]];
  const flat = (v) => [0, 1].map((i) => sum(v.map((share, x) => share * CORNERS[x][i])));
  const points = (rows) => rows.map((v) => flat(v).map((one) => one.toFixed(2)).join(",")).join(" ");
  const line = (from, to) => svg("path", { class: "lift-bound", d: `M${flat(from)}L${flat(to)}` });

  // distributions of equal entropy: entropy falls along every ray from the centre
  const curves = [0.3, 0.5, 0.7, 0.9, 1.05].map((level) => {
    let path = "";
    for (let turn = 0, pen = "M"; turn <= 360; turn++) {
      const angle = (turn * Math.PI) / 180;
      const way = [Math.cos(angle), Math.cos(angle - (2 * Math.PI) / 3), Math.cos(angle + (2 * Math.PI) / 3)];
      const at = (t) => way.map((one) => Math.max(0, 1 / 3 + t * one));
      let [low, high] = [0, -1 / 3 / Math.min(...way)];
      if (entropy(at(high)) > level) {
        pen = "M";
        continue;
      }
      for (let step = 0; step < 30; step++) {
        const middle = (low + high) / 2;
        [low, high] = entropy(at(middle)) > level ? [middle, high] : [low, middle];
      }
      path += pen + flat(at(low)).map((one) => one.toFixed(1));
      pen = "L";
    }
    return path;
  });

  // corners in the order in which they lie around their mean
  const around = (rows) => {
    const centre = flat([0, 1, 2].map((x) => sum(rows.map((v) => v[x])) / rows.length));
    const angle = (v) => Math.atan2(flat(v)[1] - centre[1], flat(v)[0] - centre[0]);
    return [...rows].sort((a, b) => angle(a) - angle(b));
  };

  // where the border g v = 0 of a bound meets the triangle's sides
  const crossing = (g) => {
    const sure = [0, 1, 2].map((x) => [0, 1, 2].map((other) => (other === x ? 1 : 0)));
    return [[0, 1], [1, 2], [2, 0]]
      .filter(([a, b]) => g[a] * g[b] < 0)
      .map(([a, b]) => sure[a].map((_, x) => (sure[a][x] * g[b] - sure[b][x] * g[a]) / (g[b] - g[a])));
  };

  // the regions of both notions, as rows over all three symbols, and the optimum under one of them
  const solved = (counts, { eps, share, under }) => {
    const joint = jointOf(counts);
    const notions = { ALIP: alip(share * eps, (1 - share) * eps), LDP: ldp(eps) };
    const whole = (v) => [0, 1, 2].map((x) => (joint.at.includes(x) ? v[joint.at.indexOf(x)] : 0));
    const found = Object.fromEntries(Object.entries(notions).map(([name, notion]) => [name, response(joint, notion)]));
    const { rows, weights } = found[under];
    const used = rows
      .map((row, k) => ({ row: whole(row), weight: weights ? weights[k] : 0, lifts: liftsOf(joint, row) }))
      .filter(({ weight }) => weight > 1e-9);
    return {
      joint,
      used,
      corners: Object.fromEntries(Object.entries(found).map(([name, one]) => [name, one.rows.map(whole)])),
      bounds: notions[under].halfspaces(joint.lifts),
      centre: whole(joint.mass),
      kept: nmi(joint, rows.map((row, k) => row.map((value) => value * (weights ? weights[k] : 0))).filter((row) => sum(row) > 0)),
    };
  };

  const drawn = ({ joint, corners, used, centre, bounds }, names, under) => {
    const box = svg("svg", { viewBox: "0 0 320 290", role: "img" });
    box.append(svg("g", { class: "lift-curves" }, ...curves.map((d) => svg("path", { d }))));
    if (joint.at.length === 3) box.append(...bounds.map(crossing).filter((ends) => ends.length === 2).map(([from, to]) => line(from, to)));
    for (const [name, rows] of Object.entries(corners)) {
      const looks = `lift-${name.toLowerCase()}-region${name === under ? " lift-chosen" : ""}`;
      box.append(svg("polygon", { class: looks, points: points(around(rows)) }));
      if (name === under) {
        for (const [left, top] of rows.map(flat)) box.append(svg("rect", { class: "lift-corner", x: left - 3, y: top - 3, width: 6, height: 6 }));
      }
    }
    box.append(svg("polygon", { class: "lift-triangle", points: points([[1, 0, 0], [0, 1, 0], [0, 0, 1]]) }));
    for (const { row, weight } of used) {
      const [cx, cy] = flat(row);
      box.append(svg("circle", { class: "lift-ring", cx, cy, r: 6 + 14 * weight }));
    }
    const [left, top] = flat(centre);
    box.append(
      svg("text", { x: 30, y: 272, "text-anchor": "middle" }, names[0]),
      svg("text", { x: 290, y: 272, "text-anchor": "middle" }, names[1]),
      svg("text", { x: 160, y: 15, "text-anchor": "middle" }, names[2]),
      svg("g", { class: "lift-cross" }, svg("circle", { cx: left, cy: top, r: 16 }), svg("path", { d: `M${left - 6} ${top - 6}l12 12m0 -12l-12 12` })),
    );
    box.setAttribute("aria-label", `The triangle of distributions on ${listed(names)}, with the regions that ALIP and LDP allow; the rows in use are in the table.`);
    return box;
  };

  const tabled = (used, names) => {
    const head = make("tr", "", ...["output", "people", ...names, "lifts"].map((word) => Object.assign(make("th", "", word), { scope: "col" })));
    const rows = used.map(({ row, weight, lifts }, k) =>
      make(
        "tr",
        "",
        Object.assign(make("th", "", String(k + 1)), { scope: "row" }),
        ...[percent(weight, 1), ...row.map((value) => value.toFixed(3)), `${Math.min(...lifts).toFixed(2)} to ${Math.max(...lifts).toFixed(2)}`].map((one) => make("td", "", one)),
      ),
    );
    // on a narrow screen the table scrolls, which a keyboard must be able to do too
    return Object.assign(make("table", "", make("thead", "", head), make("tbody", "", ...rows)), { tabIndex: 0 });
  };

  window.liftLiving.solved = solved;
  fill("polytope", (box, tables) => {
    const state = { eps: 0.6, share: 0.5, under: "ALIP", which: tables[0].title };
    let counts, groups, names;
    const [picture, table, told, places] = [make("div", "lift-simplex"), make("div"), status(), make("div", "lift-groups")];

    const start = () => {
      const chosen = tables.find(({ title }) => title === state.which);
      counts = chosen.counts.map((row) => [...row]);
      names = chosen.names;
      groups = names.map((name, x) => people(counts, x, chosen.secrets, name, () => draw()));
      places.replaceChildren(...groups.map(({ nodes }, x) => make("div", "lift-group", make("b", "", `symbol ${names[x]}`), ...nodes)));
      draw();
    };

    // the cross goes to where the pointer is: people of each symbol grow or shrink, their shares by secret stay
    let held = false;
    picture.addEventListener("pointerdown", (event) => {
      if (!event.target.closest(".lift-cross")) return;
      event.preventDefault();
      picture.setPointerCapture(event.pointerId); // the cross itself is drawn anew
      held = true;
    });
    // a finger on the cross does not scroll the page; anywhere else on the picture it does
    picture.addEventListener("touchstart", (event) => event.target.closest(".lift-cross") && event.preventDefault(), { passive: false });
    for (const over of ["pointerup", "pointercancel"]) picture.addEventListener(over, () => (held = false));
    picture.addEventListener("pointermove", (event) => {
      if (!held) return;
      const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.firstChild.getScreenCTM().inverse());
      const third = (250 - y) / 225;
      const second = (x - 30) / 260 - third / 2;
      const aim = [1 - second - third, second, third].map((one) => Math.max(0.03, one));
      const mass = names.map((_, at) => sum(counts.map((row) => row[at])));
      const factor = mass.map((one, at) => (one ? (aim[at] * sum(mass)) / sum(aim) / one : 0));
      counts.forEach((row) => row.forEach((n, at) => (row[at] = n * factor[at])));
      groups.forEach((group) => group.show());
      draw();
    });

    const draw = () => {
      if (!sum(counts.flat())) {
        told.textContent = "There is nobody: let there be somebody in some group.";
        picture.replaceChildren();
        table.replaceChildren();
        return;
      }
      const found = solved(counts, state);
      const rows = found.corners[state.under];
      const edge = rows.filter((row) => Math.min(...row) < 1e-9).length;
      const inside = rows.length - edge;
      picture.replaceChildren(drawn(found, names, state.under));
      table.replaceChildren(tabled(found.used, names));
      told.textContent =
        `${state.under} allows a region with ${rows.length} ${rows.length === 1 ? "corner" : "corners"}, ` +
        `${!inside ? "all on the triangle's edge" : edge ? `${inside} of them inside the triangle` : "all inside the triangle"}. The optimal response uses ${found.used.length} ` +
        `(ringed, by their share of the people) and keeps ${percent(found.kept)} of H(X).`;
    };

    const options = make(
      "div",
      "lift-budgets",
      choice("table with", tables.map(({ title }) => title), (value) => {
        state.which = value;
        start();
      }),
      choice("optimum under", ["ALIP", "LDP"], (value) => {
        state.under = value;
        draw();
      }),
    );
    const key = make("p", "lift-key", ...["ALIP", "LDP"].map((name) => make("span", `lift-key-${name.toLowerCase()}`, name)), "✕ the people, to be dragged");
    box.replaceChildren(
      make("div", "lift-beside", make("div", "", key, picture), make("div", "", options, budgets(state, () => draw()), told)),
      table,
      places,
      button("Back to the figure's table", start),
    );
    start();
  });
})();
