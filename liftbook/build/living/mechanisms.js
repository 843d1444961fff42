// Watchdog, subset merging, subset random response and the optimum, for the handful of symbols of a living picture. A test
// compares them with liftlib. A mechanism is its outputs, each the list of P(x, y) over the symbols.
(() => {
  const { sum } = window.liftLiving;
  const KEEP = 1e-9; // nats by which rounding may exceed a budget, and how far a row may miss a bound, as in liftlib
  const NOTHING = 1e-12;

  const alip = (lower, upper) => ({
    keeps: (least, most) => -Math.log(least) <= lower + KEEP && Math.log(most) <= upper + KEEP,
    risk: (least, most) => most + 1 / least,
    halfspaces: (lifts) => [
      ...lifts.map((row) => row.map((lift) => lift - Math.exp(-lower))),
      ...lifts.map((row) => row.map((lift) => 1 - Math.exp(-upper) * lift)),
    ],
  });

  const ldp = (eps) => ({
    keeps: (least, most) => Math.log(most) - Math.log(least) <= eps + KEEP,
    risk: (least, most) => most / least,
    halfspaces: (lifts) =>
      lifts.flatMap((top, s) =>
        lifts.filter((_, other) => other !== s).map((bottom) => bottom.map((lift, x) => lift - Math.exp(-eps) * top[x])),
      ),
  });

  const ends = (lifts) => [Math.min(...lifts), Math.max(...lifts)];
  const risky = (joint, notion) => joint.mass.map((_, x) => !notion.keeps(...ends(joint.lifts.map((row) => row[x]))));

  // a group of symbols by its P(group|s) and P(group); `joined` is two of them
  const single = (joint, x) => ({ members: [x], share: joint.shares.map((row) => row[x]), mass: joint.mass[x] });
  const joined = (a, b) => ({
    members: [...a.members, ...b.members],
    share: a.share.map((one, s) => one + b.share[s]),
    mass: a.mass + b.mass,
  });
  const endsOf = ({ share, mass }) => ends(share.map((one) => one / mass));

  // the other group that leaves the least risk; where every union has an infinite one, the smallest largest lift
  const nearest = (group, others, notion) => {
    const least = (values) => values.reduce((best, value, at) => (value < values[best] ? at : best), 0);
    const unions = others.map((other) => endsOf(joined(group, other)));
    const risks = unions.map(([low, high]) => notion.risk(low, high));
    return Number.isFinite(Math.min(...risks)) ? least(risks) : least(unions.map(([, high]) => high));
  };

  // let a group take in others, least risk first, until it keeps the notion; `others` loses those
  const absorb = (group, others, notion) => {
    while (!notion.keeps(...endsOf(group)) && others.length) {
      const [taken] = others.splice(nearest(group, others, notion), 1);
      group = joined(group, taken);
    }
    return group;
  };

  const asOutputs = (joint, groups) =>
    groups.map(({ members }) => joint.mass.map((mass, x) => (members.includes(x) ? mass : 0)));

  const apart = (joint, notion) => {
    const high = risky(joint, notion);
    const all = joint.mass.map((_, x) => single(joint, x));
    return { low: all.filter((_, x) => !high[x]), high: all.filter((_, x) => high[x]) };
  };

  // the high-risk symbols become one output (E23 eqs. (6) to (11))
  const watchdog = (joint, notion) => {
    const { low, high } = apart(joint, notion);
    if (!high.length) return asOutputs(joint, low);
    const merged = absorb(high.reduce(joined), low, notion);
    return asOutputs(joint, [...low, merged]);
  };

  // E23 Algorithm 1: the riskiest symbol starts a group, which grows until it keeps the notion
  const groupsOf = (joint, notion) => {
    const { low, high } = apart(joint, notion);
    const made = [];
    while (high.length) {
      const risks = high.map((one) => notion.risk(...endsOf(one)));
      const [start] = high.splice(risks.indexOf(Math.max(...risks)), 1);
      made.push(absorb(start, high, notion));
    }
    if (made.length) {
      // of two that leave the same risk the first symbol's goes, as in liftlib
      const earlier = made.slice(0, -1).sort((a, b) => a.members[0] - b.members[0]);
      const last = absorb(absorb(made.at(-1), earlier, notion), low, notion);
      return { low, merged: [...earlier, last] };
    }
    return { low, merged: [] };
  };
  const merging = (joint, notion) => {
    const { low, merged } = groupsOf(joint, notion);
    return asOutputs(joint, [...low, ...merged]);
  };

  // the k-element parts of a list
  const parts = (list, k) =>
    k === 0 ? [[]] : list.flatMap((first, at) => parts(list.slice(at + 1), k - 1).map((rest) => [first, ...rest]));

  // solve a square system by elimination; null where it is singular
  const solve = (matrix, right) => {
    const rows = matrix.map((row, i) => [...row, right[i]]);
    for (let i = 0; i < rows.length; i++) {
      const pivot = rows.map((row) => Math.abs(row[i])).reduce((best, size, at, all) => (at > i && size > all[best] ? at : best), i);
      [rows[i], rows[pivot]] = [rows[pivot], rows[i]];
      if (Math.abs(rows[i][i]) < NOTHING) return null;
      rows.forEach((row, other) => {
        const factor = row[i] / rows[i][i];
        if (other !== i && factor) for (let j = i; j < row.length; j++) row[j] -= factor * rows[i][j];
      });
    }
    return rows.map((row, i) => row.at(-1) / row[i]);
  };

  // the vertices of { v >= 0, sum v = 1, G v >= 0 }: at most as many entries as secrets are positive, and all but one
  // of those are settled by bounds that are met with equality
  const vertices = (halfspaces, n, nSecret) => {
    const found = [];
    for (let size = 1; size <= Math.min(n, nSecret); size++) {
      for (const support of parts([...Array(n).keys()], size)) {
        for (const tight of parts(halfspaces, size - 1)) {
          const inside = solve([support.map(() => 1), ...tight.map((row) => support.map((x) => row[x]))], [1, ...tight.map(() => 0)]);
          if (!inside || Math.min(...inside) < NOTHING) continue;
          const row = Array(n).fill(0);
          support.forEach((x, at) => (row[x] = inside[at]));
          const kept = halfspaces.every((one) => sum(one.map((value, x) => value * row[x])) >= -NOTHING);
          if (kept && !found.some((other) => other.every((value, x) => Math.abs(value - row[x]) < NOTHING))) found.push(row);
        }
      }
    }
    return found;
  };

  const entropy = (row) => -sum(row.map((value) => (value > 0 ? value * Math.log(value) : 0)));

  // the weights of the cheapest mixture of rows that is the target: the simplex method, of two phases, by Bland's rule
  const mixture = (costs, rows, target) => {
    const basis = target.map((_, i) => rows.length + i);
    let table = target.map((value, i) => [...rows.map((row) => row[i]), value]);
    const pivot = (i, j) => {
      const size = table[i][j];
      table[i] = table[i].map((value) => value / size);
      table = table.map((row, other) => (other === i || !row[j] ? row : row.map((value, at) => value - row[j] * table[i][at])));
      basis[i] = j;
    };
    const descend = (price) => {
      for (let step = 0; step < 5000; step++) {
        const enters = rows.findIndex((_, j) => price(j) - sum(table.map((row, i) => price(basis[i]) * row[j])) < -NOTHING);
        if (enters < 0) return;
        let leaves = -1;
        table.forEach((row, i) => {
          if (row[enters] <= 1e-10) return;
          const [ratio, best] = [row.at(-1) / row[enters], leaves < 0 ? Infinity : table[leaves].at(-1) / table[leaves][enters]];
          if (ratio < best - 1e-15 || (Math.abs(ratio - best) <= 1e-15 && basis[i] < basis[leaves])) leaves = i;
        });
        if (leaves < 0) return;
        pivot(leaves, enters);
      }
    };
    descend((j) => (j < rows.length ? 0 : 1));
    if (sum(table.map((row, i) => (basis[i] < rows.length ? 0 : row.at(-1)))) > KEEP) return null;
    for (let i = table.length - 1; i >= 0; i--) {
      if (basis[i] < rows.length) continue;
      const other = rows.findIndex((_, j) => Math.abs(table[i][j]) > 1e-9);
      if (other >= 0) {
        pivot(i, other);
      } else {
        table.splice(i, 1); // an equation that the others imply
        basis.splice(i, 1);
      }
    }
    descend((j) => costs[j]);
    return rows.map((_, j) => Math.max(0, basis.includes(j) ? table[basis.indexOf(j)].at(-1) : 0));
  };

  // the optimum within some symbols, by default all: their vertices, and the weight of each (E23 eq. (26))
  const response = (joint, notion, members = joint.mass.map((_, x) => x)) => {
    const bounds = notion.halfspaces(joint.lifts.map((row) => members.map((x) => row[x])));
    const rows = vertices(bounds, members.length, joint.prior.length);
    const weights = rows.length ? mixture(rows.map(entropy), rows, members.map((x) => joint.mass[x])) : null;
    const spread = (row) => joint.mass.map((_, x) => (members.includes(x) ? row[members.indexOf(x)] : 0));
    return { rows: rows.map(spread), weights };
  };
  const mixed = (joint, { rows, weights }, members) =>
    weights
      ? rows.map((row, k) => row.map((value) => weights[k] * value)).filter((_, k) => weights[k] > NOTHING)
      : asOutputs(joint, [{ members }]); // rounding at the finest budgets: merged, they keep the notion
  const optimum = (joint, notion) => mixed(joint, response(joint, notion), joint.mass.map((_, x) => x));
  const subsetResponse = (joint, notion) => {
    const { low, merged } = groupsOf(joint, notion);
    const within = merged.flatMap(({ members }) => mixed(joint, response(joint, notion, members), members));
    return [...asOutputs(joint, low), ...within];
  };

  // I(X; Y) / H(X), 1 where X is a sure symbol
  const nmi = (joint, outputs) => {
    const whole = entropy(joint.mass);
    if (!(whole > 0)) return 1;
    const told = outputs.map((output) => {
      const mass = sum(output);
      return sum(output.map((value, x) => (value > 0 ? value * Math.log(value / mass / joint.mass[x]) : 0)));
    });
    return Math.min(1, Math.max(0, sum(told) / whole));
  };
  const liftsOf = (joint, output) =>
    joint.lifts.map((row) => sum(row.map((lift, x) => lift * output[x])) / sum(output));

  window.liftLiving = {
    ...window.liftLiving, alip, ldp, risky, watchdog, merging, subsetResponse, optimum, response, mixture, entropy, nmi, liftsOf,
  };
})();
