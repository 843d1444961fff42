// Lifts, utility and eight mechanisms for a small table of people, counts[secret][symbol]. A test compares all of it
// with liftlib. Logarithms are natural; a mechanism is a list of outputs, each a list of P(x, y) over the symbols x.

const TOLERANCE = 1e-9; // nats by which rounding may exceed a budget, as in liftlib
const NOTHING = 1e-12;

export const sum = (values) => values.reduce((total, value) => total + value, 0);
export const entropy = (row) => -sum(row.map((value) => (value > 0 ? value * Math.log(value) : 0)));
const range = (n) => Array.from({ length: n }, (_, i) => i);
const ends = (values) => [Math.min(...values), Math.max(...values)];

// P_SX of the secrets and symbols that have people; `secrets` and `symbols` are their places in the counts
export const jointOf = (counts) => {
  const secrets = range(counts.length).filter((s) => sum(counts[s]) > 0);
  const symbols = range(counts[0].length).filter((x) => sum(counts.map((row) => row[x])) > 0);
  const total = sum(counts.flat());
  const p = secrets.map((s) => symbols.map((x) => counts[s][x] / total));
  const prior = p.map(sum);
  const mass = symbols.map((_, x) => sum(p.map((row) => row[x])));
  const shares = p.map((row, s) => row.map((cell) => cell / prior[s])); // P(x|s)
  const lifts = p.map((row, s) => row.map((cell, x) => cell / mass[x] / prior[s]));
  return { secrets, symbols, p, prior, mass, shares, lifts };
};

// a difference without its rounding error, which a linear program would take for a constraint
const apart = (a, b) => (Math.abs(a - b) <= 1e-14 * Math.max(Math.abs(a), Math.abs(b)) ? 0 : a - b);

// ALIP(lambda eps, (1 - lambda) eps): e^-lower <= lift <= e^upper
export const alip = (eps, lambda) => {
  const [lower, upper] = [lambda * eps, (1 - lambda) * eps];
  return {
    lower,
    upper,
    allows: ([least, most]) => -Math.log(least) <= lower + TOLERANCE && Math.log(most) <= upper + TOLERANCE,
    risk: ([least, most]) => most + 1 / least,
    // G with G v >= 0 exactly where an output with P(X=.|Y=y) = v is allowed
    halfspaces: (lifts) => [
      ...lifts.map((row) => row.map((lift) => apart(lift, Math.exp(-lower)))),
      ...lifts.map((row) => row.map((lift) => apart(1, Math.exp(-upper) * lift))),
    ],
  };
};

export const risky = (joint, notion) =>
  joint.mass.map((_, x) => !notion.allows(ends(joint.lifts.map((row) => row[x]))));

// --- merging: a group of symbols has P(group|s) and P(group)

const single = (joint, x) => ({ members: [x], share: joint.shares.map((row) => row[x]), mass: joint.mass[x] });
const joined = (a, b) => ({
  members: [...a.members, ...b.members],
  share: a.share.map((value, s) => value + b.share[s]),
  mass: a.mass + b.mass,
});
const endsOf = ({ share, mass }) => ends(share.map((value) => value / mass));
const smallest = (values) => values.reduce((best, value, i) => (value < values[best] ? i : best), 0);

// the group whose union with `group` has the smallest risk, or the smallest max-lift if all risks are infinite
const nearest = (group, others, notion) => {
  const unions = others.map((other) => endsOf(joined(group, other)));
  const risks = unions.map(notion.risk);
  return smallest(Number.isFinite(Math.min(...risks)) ? risks : unions.map(([, most]) => most));
};

// `group` takes in groups from `others`, which loses them, until it satisfies the notion
const absorb = (group, others, notion) => {
  while (!notion.allows(endsOf(group)) && others.length) {
    group = joined(group, others.splice(nearest(group, others, notion), 1)[0]);
  }
  return group;
};

const asOutputs = (joint, groups) =>
  groups.map(({ members }) => joint.mass.map((mass, x) => (members.includes(x) ? mass : 0)));

const byRisk = (joint, notion) => {
  const high = risky(joint, notion);
  const all = joint.mass.map((_, x) => single(joint, x));
  return { low: all.filter((_, x) => !high[x]), high: all.filter((_, x) => high[x]) };
};

// the high-risk symbols become one output (E23 eqs. (6) to (11))
const watchdog = (joint, notion) => {
  const { low, high } = byRisk(joint, notion);
  if (!high.length) return asOutputs(joint, low);
  const merged = absorb(high.reduce(joined), low, notion);
  return asOutputs(joint, [...low, merged]);
};

// E23 Algorithm 1: the riskiest symbol starts a group, which grows until it satisfies the notion
const groupsOf = (joint, notion) => {
  const { low, high } = byRisk(joint, notion);
  const merged = [];
  while (high.length) {
    const riskiest = smallest(high.map((group) => -notion.risk(endsOf(group))));
    merged.push(absorb(high.splice(riskiest, 1)[0], high, notion));
  }
  if (!merged.length) return { low, merged };
  // of two unions with the same risk, liftlib takes the group whose first symbol comes first
  const earlier = merged.slice(0, -1).sort((a, b) => a.members[0] - b.members[0]);
  const last = absorb(absorb(merged.at(-1), earlier, notion), low, notion);
  return { low, merged: [...earlier, last] };
};
const subsetMerging = (joint, notion) => {
  const { low, merged } = groupsOf(joint, notion);
  return asOutputs(joint, [...low, ...merged]);
};

// --- the optimum: vertices of the polytope of posteriors, and the minimum-entropy mixture of them

// the k-element subsets of a list
const subsets = (list, k) =>
  k === 0 ? [[]] : list.flatMap((first, i) => subsets(list.slice(i + 1), k - 1).map((rest) => [first, ...rest]));

// the solution of a square system by elimination; null if it is singular
const solve = (matrix, right) => {
  const rows = matrix.map((row, i) => [...row, right[i]]);
  for (const i of range(rows.length)) {
    const pivot = range(rows.length).reduce((best, k) => (k > i && Math.abs(rows[k][i]) > Math.abs(rows[best][i]) ? k : best), i);
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
// of them follow from halfspaces that hold with equality
export const vertices = (halfspaces, n, nSecret) => {
  const found = [];
  for (let size = 1; size <= Math.min(n, nSecret); size++) {
    for (const support of subsets(range(n), size)) {
      for (const tight of subsets(halfspaces, size - 1)) {
        const inside = solve([support.map(() => 1), ...tight.map((row) => support.map((x) => row[x]))], [1, ...tight.map(() => 0)]);
        if (!inside || Math.min(...inside) < NOTHING) continue;
        const row = Array(n).fill(0);
        support.forEach((x, i) => (row[x] = inside[i]));
        const allowed = halfspaces.every((half) => sum(half.map((value, x) => value * row[x])) >= -NOTHING);
        if (allowed && !found.some((other) => other.every((value, x) => Math.abs(value - row[x]) < NOTHING))) found.push(row);
      }
    }
  }
  return found;
};

// the weights of the mixture of rows that equals the target at least cost, null if there is none: the simplex method
// in two phases, with Bland's rule
export const mixture = (costs, rows, target) => {
  const basis = target.map((_, i) => rows.length + i);
  let table = target.map((value, i) => [...rows.map((row) => row[i]), value]);
  const pivot = (i, j) => {
    const size = table[i][j];
    table[i] = table[i].map((value) => value / size);
    table = table.map((row, other) => (other === i || !row[j] ? row : row.map((value, k) => value - row[j] * table[i][k])));
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
  if (sum(table.map((row, i) => (basis[i] < rows.length ? 0 : row.at(-1)))) > TOLERANCE) return null;
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

// the best response within some symbols (E23 eqs. (25) and (26)); merged if rounding leaves no mixture
const response = (joint, notion, members) => {
  const halfspaces = notion.halfspaces(joint.lifts.map((row) => members.map((x) => row[x])));
  const rows = vertices(halfspaces, members.length, joint.prior.length);
  const weights = rows.length ? mixture(rows.map(entropy), rows, members.map((x) => joint.mass[x])) : null;
  if (!weights) return asOutputs(joint, [{ members }]);
  return rows
    .map((row, k) => joint.mass.map((_, x) => (members.includes(x) ? weights[k] * row[members.indexOf(x)] : 0)))
    .filter((_, k) => weights[k] > NOTHING);
};
const optimal = (joint, notion) => response(joint, notion, range(joint.mass.length));
const subsetResponse = (joint, notion) => {
  const { low, merged } = groupsOf(joint, notion);
  return [...asOutputs(joint, low), ...merged.flatMap(({ members }) => response(joint, notion, members))];
};

// --- one-parameter mechanisms, at the least private parameter that satisfies the budgets; outputs are the symbols

// I21 eq. (3): the share of people whose symbol is drawn anew, the largest that a halfspace requires
const linearReduction = (joint, notion) => {
  const needed = notion.halfspaces(joint.lifts).flatMap((half) => {
    const room = Math.max(0, sum(half.map((value, x) => value * joint.mass[x])));
    return half.map((value) => (value < 0 ? -value / (room - value) : 0));
  });
  const share = Math.max(...needed);
  return joint.mass.map((to, y) => joint.mass.map((from, x) => from * ((x === y ? 1 - share : 0) + share * to)));
};

// e^-eps for the largest eps at which the lifts (1 + c given) / (1 + c whole), c = e^eps - 1, satisfy the budgets
const decay = (given, whole, { lower, upper }) => {
  const odds = given.flatMap((row) =>
    [
      [upper, row.map((value, x) => Math.exp(-upper) * value - whole[x])],
      [lower, row.map((value, x) => Math.exp(-lower) * whole[x] - value)],
    ].map(([budget, excess]) => (Math.max(...excess) > NOTHING ? -Math.expm1(-budget) / Math.max(...excess) : Infinity)),
  );
  return 1 / (1 + Math.min(...odds));
};

// S20 eqs. (28) and (29): the true symbol has odds e^eps against each other symbol
const randomisedResponse = (joint, notion) => {
  const other = decay(joint.shares, joint.mass, notion);
  const all = 1 + (joint.mass.length - 1) * other;
  return joint.mass.map((_, y) => joint.mass.map((from, x) => (from * (x === y ? 1 : other)) / all));
};

// S20 Algorithm 1: X is reported if the randomised secret is the true one, else a draw from P(x|randomised secret).
// The channel depends on the secret, so each output is a table of P(s, x, y).
const conditionalReporting = (joint, notion) => {
  const everyone = joint.mass.map((_, x) => sum(joint.shares.map((row) => row[x])));
  const other = decay(joint.shares.map((row) => row.map((value, x) => value / everyone[x])), joint.mass.map((value, x) => value / everyone[x]), notion);
  const all = 1 + (joint.prior.length - 1) * other;
  return joint.mass.map((_, y) =>
    joint.p.map((row, s) => {
      const drawn = other * sum(joint.shares.filter((_, secret) => secret !== s).map((share) => share[y]));
      return row.map((cell, x) => (cell * ((x === y ? 1 : 0) + drawn)) / all);
    }),
  );
};

const unchanged = (joint) => asOutputs(joint, joint.mass.map((_, x) => ({ members: [x] })));

// by the name in the address
export const MECHANISMS = {
  none: unchanged,
  watchdog,
  merging: subsetMerging,
  srr: subsetResponse,
  aorr: optimal,
  linear: linearReduction,
  grr: randomisedResponse,
  cr: conditionalReporting,
};

// what a mechanism releases: for each output its P(x, y), P(s, y) and lifts; the utility I(X;Y) / H(X), 1 if X is
// constant; the smallest budgets -log(min lift) and log(max lift) that the release satisfies
export const release = (joint, name, notion) => {
  const outputs = MECHANISMS[name](joint, notion).map((output) => {
    const cells = Array.isArray(output[0]) ? output : joint.p.map((row) => row.map((cell, x) => (cell * output[x]) / joint.mass[x]));
    const from = Array.isArray(output[0]) ? joint.mass.map((_, x) => sum(cells.map((row) => row[x]))) : output;
    const mass = sum(from);
    const belief = cells.map((row) => sum(row) / mass);
    return { from, mass, belief, lifts: belief.map((value, s) => value / joint.prior[s]) };
  });
  const known = sum(outputs.flatMap(({ from, mass }) => from.map((cell, x) => (cell > 0 ? cell * Math.log(cell / mass / joint.mass[x]) : 0))));
  const whole = joint.mass.length > 1 ? entropy(joint.mass) : 0;
  const [least, most] = ends(outputs.flatMap(({ lifts }) => lifts));
  return {
    outputs,
    nmi: whole > 0 ? Math.min(1, Math.max(0, known / whole)) : 1,
    lower: Math.max(0, -Math.log(least)),
    upper: Math.max(0, Math.log(most)),
  };
};
