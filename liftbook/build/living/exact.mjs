// mixproof/exact.py for ALIP and LIP, step by step: the same integers, the same order of steps and the same words for the
// first that fails. Why each step proves what it says is explained there. Fractions are pairs of BigInts.
const [BITS, FINE] = [112n, 144n];
export const ONE = 1n << BITS;

const floor = (a, b) => (a < 0n === b < 0n || a % b === 0n ? a / b : a / b - 1n);
const up = (a) => -(-a >> BITS);
const least = (values) => values.reduce((a, b) => (b < a ? b : a));
const most = (values) => values.reduce((a, b) => (b > a ? b : a));
const total = (values) => values.reduce((a, b) => a + b, 0n);

const whole = (n) => ({ n, d: 1n });
const add = (a, b) => ({ n: a.n * b.d + b.n * a.d, d: a.d * b.d });
const neg = ({ n, d }) => ({ n: -n, d });
const times = (a, b) => ({ n: a.n * b.n, d: a.d * b.d });
const over = (a, b) => ({ n: a.n * b.d, d: a.d * b.n });
const below = (a, b) => a.n * b.d < b.n * a.d;
const fractions = (values) => values.reduce(add, whole(0n));
const dot = (a, b) => fractions(a.map((one, i) => times(one, b[i])));
const floored = ({ n, d }, unit = ONE) => floor(n * unit, d);
const raised = ({ n, d }, unit = ONE) => -floor(-n * unit, d);
const ulps = (n) => ({ n, d: ONE });

const TOLERANCE = { n: 1005n, d: 10n ** 12n };
const SLACK = raised(add(TOLERANCE, times(TOLERANCE, TOLERANCE)));
const SUM_TOLERANCE = { n: 1n, d: 10n ** 9n };

export class NotProven extends Error {}

const required = (condition, step) => {
  if (!condition) throw new NotProven(step);
};

// ten decimals, rounded up
export const decimal = (x) => {
  const units = raised(x, 10n ** 10n);
  const size = units < 0n ? -units : units;
  return `${units < 0n ? "-" : ""}${size / 10n ** 10n}.${String(size % 10n ** 10n).padStart(10, "0")}`;
};

// --- logarithms and exponentials

const atanh2 = (a, b) => {
  let power = ((a < 0n ? -a : a) << FINE) / b;
  const square = (power * power) >> FINE;
  let sum = 0n;
  for (let k = 1n; power; k += 2n) {
    sum += power / k;
    power = (power * square) >> FINE;
  }
  return a < 0n ? -2n * sum : 2n * sum;
};
const LOG2 = atanh2(1n, 3n);
const bits = (n) => BigInt(n.toString(2).length);

const log = (a, b = ONE) => {
  const e = bits(a) - bits(b);
  const m = e <= FINE ? (a << (FINE - e)) / b : a / (b << (e - FINE));
  const value = atanh2(m - (1n << FINE), m + (1n << FINE)) + e * LOG2;
  const off = 256n * ((e < 0n ? -e : e) + 2n);
  return [(value - off) >> (FINE - BITS), -((-value - off) >> (FINE - BITS))];
};

const exp = (x) => {
  if (below(x, whole(-100n))) return [0n, 1n];
  const y = floored(x, 1n << (FINE - 8n));
  let term = 1n << FINE;
  let sum = term;
  for (let k = 1n; k < 41n; k += 1n) {
    term = floor((term * y) >> FINE, k);
    sum += term;
  }
  for (let i = 0; i < 8; i += 1) sum = (sum * sum) >> FINE;
  const low = (sum - 65536n) >> (FINE - BITS);
  return [low > 0n ? low : 0n, -((-sum - 65536n) >> (FINE - BITS))];
};

const entropy = (t) => (t ? -t * log(t)[1] : 0n);
const ends = (slope, a, b) => least([entropy(a) - slope * a, entropy(b) - slope * b]);
const replaced = (values, x, value) => values.map((old, i) => (i === x ? value : old));

// --- joint distribution, notion and channel

const number = (value, name) => {
  required(typeof value === "number" && Number.isFinite(value), `${name} has no finite number`);
  let d = 1n;
  for (; !Number.isInteger(value); d *= 2n) value *= 2;
  return { n: BigInt(value), d };
};

const table = (value, name) => {
  required(Array.isArray(value) && value.every((row) => Array.isArray(row) && row.length), `${name} is not a table`);
  required(new Set(value.map((row) => row.length)).size === 1, `${name} is empty or has rows of different lengths`);
  const rows = value.map((row) => row.map((entry) => number(entry, name)));
  required(rows.flat().every(({ n }) => n >= 0n), `${name} has a negative entry`);
  return rows;
};

const columns = (rows) => rows[0].map((_, x) => rows.map((row) => row[x]));

const jointOf = (value) => {
  const rows = table(value, "joint");
  const [sizes, masses] = [rows.map(fractions), columns(rows).map(fractions)];
  required([...sizes, ...masses].every(({ n }) => n), "joint has an empty row or column");
  const all = fractions(sizes);
  return {
    pS: sizes.map((size) => over(size, all)),
    pX: masses.map((mass) => over(mass, all)),
    given: rows.map((row) => row.map((entry, x) => over(entry, masses[x]))),
  };
};

const notionOf = ({ notion, relaxed }, { pS, given }) => {
  required(["ALIP", "LIP"].includes(notion.class) && relaxed === false, `this page checks ALIP and LIP, not ${notion.class}`);
  const fields = Object.fromEntries(Object.entries(notion.fields).map(([name, value]) => [name, number(value, name)]));
  required(Object.values(fields).every(({ n }) => n >= 0n), `${notion.class} has a negative parameter`);
  const budgets = [fields.eps_l ?? fields.eps, fields.eps_u ?? fields.eps];
  const bounds = budgets.map((eps) => exp(neg(eps)).map(ulps));
  const row = (at) =>
    given[at % pS.length].map((entry) => {
      const lift = over(entry, pS[at % pS.length]);
      if (at < pS.length) return raised(add(lift, neg(bounds[0][0])));
      return raised(add(whole(1n), neg(times(bounds[1][lift.n < 0n ? 1 : 0], lift))));
    });
  return { budgets, row, count: 2 * pS.length, name: notion.class };
};

const checkChannel = (joint, notion, value) => {
  const kernel = table(value, "channel");
  required(kernel.length === joint.pX.length, `the channel has ${kernel.length} rows for ${joint.pX.length} symbols`);
  kernel.forEach((row, x) => {
    const lacks = add(whole(1n), neg(fractions(row)));
    const size = lacks.n < 0n ? neg(lacks) : lacks;
    required(!below(SUM_TOLERANCE, size), `row ${x} of the channel does not sum to 1`);
    const largest = row.reduce((best, entry, y) => (below(row[best], entry) ? y : best), 0);
    row[largest] = add(row[largest], lacks);
  });
  const limits = notion.budgets.map((eps) => ulps(exp(neg(add(eps, TOLERANCE)))[1]));
  let sum = whole(0n);
  columns(kernel).forEach((column, y) => {
    const masses = column.map((entry, x) => times(entry, joint.pX[x]));
    const pY = fractions(masses);
    if (!pY.n) return;
    const lifts = joint.given.map((row, s) => over(dot(masses, row), times(pY, joint.pS[s])));
    limits.forEach((limit, side) => {
      const step = `output ${y} of the channel exceeds ${["eps_l", "eps_u"][side]} of ${notion.name}`;
      for (const lift of lifts) required((lift.n || side) && !below(whole(1n), side ? times(lift, limit) : over(limit, lift)), step);
    });
    column.forEach((entry, x) => {
      if (entry.n) sum = add(sum, times(masses[x], ulps(log(entry.n * pY.d, entry.d * pY.n)[0])));
    });
  });
  return sum;
};

// --- the proof

const WHOLE = { order: "n", sides: "m2", parent: "k", child: "k", kind: "k", symbol: "k" };
const REAL = { dual: "n", caps: "n", cap_weights: "nm", level: "k", weights: "kw" };

const proofOf = (value, n, { count, row }) => {
  const [m, k] = [Math.floor(value.sides.length / 2), value.parent.length];
  const sizes = { n, m, 2: 2, k, w: m + 1 };
  const read = {};
  for (const [name, axes] of Object.entries({ ...WHOLE, ...REAL })) {
    const shape = [...axes].map((axis) => sizes[axis]);
    const fits = String(value.shapes[name]) === String(shape) && value[name].length === shape.reduce((a, b) => a * b);
    required(fits, `${name} is not of shape [${shape.join(", ")}]: the proof is not for this joint distribution`);
    required(name in REAL || value[name].every(Number.isInteger), `${name} has no integer`);
    const flat = name in WHOLE ? value[name] : value[name].map((entry) => floored(add(times(number(entry, name), whole(2n)), ulps(1n)), ONE / 2n));
    const rows = Array.from({ length: shape[0] }, (_, at) => flat.slice(at * shape[1], (at + 1) * shape[1]));
    read[name] = axes.length === 1 ? flat : rows;
  }
  read.upper = number(value.upper, "upper");
  required(k > 0, "the proof has no box");
  required(String([...read.order].sort((a, b) => a - b)) === String([...Array(n).keys()]), "order does not name each symbol once");
  const named = new Set(read.sides.flat());
  required([...named].every((side) => side >= -1 && side < count), `sides names a halfspace beyond the ${count} there are`);
  const rows = new Map([...named].filter((side) => side >= 0).map((side) => [side, row(side)]));
  read.children = read.kind.map(() => new Map());
  read.parent.forEach((parent, at) => {
    required(at ? parent >= 0 && parent < at : parent === -1, `box ${at} does not come after its parent`);
    const siblings = at ? read.children[parent] : new Map();
    required(!siblings.has(read.child[at]), `box ${parent} has child ${read.child[at]} twice`);
    siblings.set(read.child[at], at);
  });
  read.kind.forEach((kind, at) => {
    required([0, 1, 2].includes(kind), `box ${at} is of kind ${kind}, which does not exist`);
    required(kind !== 2 || (read.symbol[at] >= 0 && read.symbol[at] < n), `box ${at} is divided at a symbol that does not exist`);
    required(kind !== 1 || read.level[at] >= 0n, `box ${at} is divided at a negative level`);
    const [first, after] = [[0, 0], [-1, n], [0, 2]][kind];
    required([...read.children[at].keys()].every((child) => child >= first && child < after), `box ${at} has a child that it cannot have`);
  });
  read.combined = (weights, start) => {
    let [sums, loose] = [start.map((entry) => entry << BITS), 0n];
    weights.forEach((weight, i) => {
      const side = read.sides[i][weight < 0n ? 1 : 0];
      const size = weight < 0n ? -weight : weight;
      if (!size || side < 0) return;
      sums = sums.map((entry, x) => entry + size * rows.get(side)[x]);
      loose += size * SLACK;
    });
    return [sums.map(up), loose];
  };
  read.caps.forEach((cap, x) => {
    const [sums, loose] = read.combined(read.cap_weights[x], read.caps.map((_, z) => (z === x ? ONE : 0n)));
    required(cap >= ONE || (cap - most(sums)) << BITS >= loose, `symbol ${x} is capped below what is proven`);
  });
  return read;
};

// the bounds of a box, or of its parts that have no box, and the boxes of the other parts
const divided = (proof, at, low, high, room) => {
  const [children, level, each] = [proof.children[at], proof.level[at], proof.weights[at].at(-1)];
  const [slopes, loose] = proof.combined(proof.weights[at].slice(0, -1), proof.dual.map((dual) => dual + each));
  const terms = slopes.map((slope, x) => ends(slope, low[x], high[x]));
  let sum = (each << BITS) - loose + total(terms);
  const [bounds, parts] = [[], []];
  if (proof.kind[at] === 2) {
    const x = proof.symbol[at];
    [[low[x], least([high[x], level])], [most([low[x], level]), high[x]]].forEach(([a, b], child) => {
      if (children.has(child)) parts.push([children.get(child), replaced(low, x, a), replaced(high, x, b)]);
      else if (a <= b && a - low[x] <= room) bounds.push(sum - terms[x] + ends(slopes[x], a, b));
    });
    return [bounds, parts];
  }
  for (const x of proof.kind[at] === 1 ? proof.order : []) {
    const may = low[x] === 0n && high[x] > level;
    if (children.has(x)) parts.push([children.get(x), replaced(low, x, most([low[x], level])), high]);
    else if (may && level <= room) bounds.push(sum - terms[x] + ends(slopes[x], level, high[x]));
    if (may) {
      high = replaced(high, x, level);
      sum += ends(slopes[x], 0n, level) - terms[x];
    }
  }
  if (children.has(-1)) parts.push([children.get(-1), low, high]);
  else bounds.push(sum);
  return [bounds, parts];
};

// Yields each step of the check, and at the end what it proves.
export function* check(problem) {
  const joint = jointOf(problem.joint);
  yield { step: `The table has ${joint.pS.length} secrets and ${joint.pX.length} symbols` };
  const notion = notionOf(problem, joint);
  yield { step: `The notion allows the posteriors in ${notion.count} halfspaces`, halfspaces: Array.from({ length: notion.count }, (_, at) => notion.row(at)) };
  const value = checkChannel(joint, notion, problem.channel);
  yield { step: `The mechanism satisfies the notion and reveals at least ${decimal(value)} nats` };
  const proof = proofOf(problem.proof, joint.pX.length, notion);
  yield { step: `The ${proof.kind.length} boxes form a tree, and the caps of its root are proven` };
  const entropyOfX = dot(joint.pX, joint.pX.map(({ n, d }) => ulps(-log(n, d)[0])));
  const free = add(entropyOfX, neg(dot(proof.dual.map(ulps), joint.pX)));
  const needed = below(proof.upper, entropyOfX) ? add(free, neg(proof.upper)) : null;
  yield { step: needed ? `The bound holds if every box proves z ≥ ${decimal(needed)}` : "A bound of H(X) or more needs no proof" };
  const waiting = [[0, proof.caps.map(() => 0n), proof.caps]];
  let lowest = whole(ONE);
  while (waiting.length) {
    const [at, low, high] = waiting.pop();
    const room = ONE - total(low);
    if (room < 0n || low.some((a, x) => a > high[x])) {
      yield { box: at, z: null, low, high };
      continue;
    }
    const tight = high.map((b, x) => (b < room + low[x] ? b : room + low[x]));
    const [bounds, parts] = divided(proof, at, low, tight, room);
    const z = bounds.length ? { n: least(bounds), d: ONE * ONE } : whole(ONE);
    const fails = needed !== null && below(z, needed);
    yield { box: at, z: bounds.length ? z : null, fails, low, high };
    required(!fails, `box ${at} proves z = ${decimal(z)}, but the bound needs ${decimal(needed ?? z)}`);
    if (below(z, lowest)) lowest = z;
    waiting.push(...parts);
  }
  const proven = add(free, neg(lowest));
  yield { upper: below(proven, entropyOfX) ? proven : entropyOfX, value };
}
