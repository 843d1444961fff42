// A form made of a chapter's parameters: a field for each, of its type, in its range, with its comment. A number with a
// finite range has a slider too; the form shows the page's main ones and then these, three in all, and folds the others.
const SHOWN = 3;
const ranged = ({ kind, low, high }) => (kind === "int" || kind === "float") && low !== null && high !== null;

const literal = (value) =>
  Array.isArray(value)
    ? `[${value.map(literal).join(", ")}]`
    : typeof value === "boolean"
      ? value ? "True" : "False"
      : typeof value === "string" ? JSON.stringify(value) : String(value);

// what a list's field shows: its entries with commas between
const shown = (parameter, value) => (Array.isArray(value) ? value.join(", ") : value);

const field = (parameter, value) => {
  const label = document.createElement("label");
  const name = document.createElement("code");
  name.textContent = parameter.name;
  const input = document.createElement("input");
  const note = document.createElement("small");
  note.textContent = parameter.comment;
  note.id = `companion-note-${parameter.name}`;
  input.name = parameter.name;
  input.setAttribute("aria-describedby", note.id);
  if (parameter.kind === "bool") input.type = "checkbox";
  else if (parameter.kind === "int" || parameter.kind === "float") {
    input.type = "number";
    input.step = parameter.kind === "int" ? 1 : "any";
    if (parameter.low !== null) input.min = parameter.low;
    if (parameter.high !== null) input.max = parameter.high;
    input.required = true;
  } else input.type = "text";
  label.append(name, input, note);
  if (ranged(parameter)) note.before(slider(input, parameter));
  set(input, parameter, value);
  return label;
};

// moves in equal steps, or by equal factors where the range spans more than a hundredfold
const slider = (input, { name, kind, low, high }) => {
  const factors = low > 0 && high / low > 100;
  const range = document.createElement("input");
  Object.assign(range, { type: "range", min: 0, max: 100, step: "any" });
  range.setAttribute("aria-label", `${name}, by a slider`);
  range.addEventListener("input", () => {
    const share = range.value / 100;
    const value = factors ? low * (high / low) ** share : low + share * (high - low);
    input.value = kind === "int" ? Math.round(value) : Number(value.toPrecision(3));
  });
  input.addEventListener("input", () => {
    const value = Math.min(high, Math.max(low, Number(input.value)));
    range.value = 100 * (factors ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low));
  });
  return range;
};

export const fields = (parameters, values) => {
  const main = parameters.filter(({ first }) => first);
  const first = [...main, ...parameters.filter((one) => ranged(one) && !one.first)].slice(0, SHOWN);
  const made = (one) => field(one, values[one.name]);
  const others = parameters.filter((one) => !first.includes(one));
  if (!first.length || !others.length) return parameters.map(made);
  const fold = document.createElement("details");
  const summary = document.createElement("summary");
  summary.textContent = `Other parameters (${others.length})`;
  fold.open = others.some(({ name, book }) => !same(values[name], book));
  fold.append(summary, ...others.map(made));
  return [...first.map(made), fold];
};

export const set = (input, parameter, value) => {
  if (parameter.kind === "bool") input.checked = value;
  else input.value = shown(parameter, value);
  input.dispatchEvent(new Event("input"));
};

const entry = (kind, text, name) => {
  if (kind === "str") return text.replace(/^(["'])(.*)\1$/, "$2");
  const number = Number(text);
  if (text === "" || Number.isNaN(number) || (kind === "int" && !Number.isInteger(number)))
    throw new Error(`${name}: “${text}” is not ${kind === "int" ? "a whole number" : "a number"}`);
  return number;
};

// a list may be given in brackets, as a command has it
const inner = (text) => text.trim().replace(/^\[(.*)\]$/, "$1").trim();

// the value that a field holds, or an error that says why it is none
export const read = (input, parameter) => {
  const { kind, name } = parameter;
  if (kind === "bool") return input.checked;
  const list = /^list\[(\w+)\]$/.exec(kind);
  const value = list
    ? inner(input.value) === "" ? [] : inner(input.value).split(",").map((text) => entry(list[1], text.trim(), name))
    : entry(kind, kind === "str" ? input.value : input.value.trim(), name);
  for (const one of [value].flat())
    if (typeof one === "number" && (one < (parameter.low ?? -Infinity) || one > (parameter.high ?? Infinity)))
      throw new Error(`${name} is ${one}, not in [${parameter.low}, ${parameter.high}]`);
  if (list && list[1] !== "str" && !value.length) throw new Error(`${name} is empty: give numbers with commas between`);
  return value;
};

export const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

export const command = (words, page, parameters, values) => {
  const given = parameters
    .filter(({ name, book }) => !same(values[name], book))
    .map(({ name, kind }) => {
      const text = kind === "str" ? values[name] : literal(values[name]);
      return `-p ${name} ${/^[\w.+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`}`;
    });
  return [words, page, ...given, `-o runs/${page}`].join(" ");
};

// parameters in the address: only those that differ from the book's
export const toAddress = (parameters, values) => {
  const query = new URLSearchParams({ run: "" });
  for (const { name, book } of parameters)
    if (!same(values[name], book)) query.set(name, JSON.stringify(values[name]));
  return `?${query}`.replace("run=&", "run&").replace(/run=$/, "run");
};

export const fromAddress = (parameters, search) => {
  const query = new URLSearchParams(search);
  const values = {};
  for (const { name, book } of parameters) {
    values[name] = book;
    if (!query.has(name)) continue;
    try {
      const value = JSON.parse(query.get(name));
      if (Array.isArray(value) === Array.isArray(book) && (Array.isArray(book) || typeof value === typeof book))
        values[name] = value;
    } catch {
      // an address that was mistyped leaves the book's value as it is
    }
  }
  return values;
};
