// Exercises judged where they stand: an answer is compared within its tolerance, hints come one by one, and what was
// solved is remembered in this browser alone. What a number may stand for follows companion/exercises.py.
(() => {
  const page = document.currentScript.dataset.page;
  const FEWEST = 2;
  const SLACK = 1e-9;
  const KINDS = ["Direction", "Method", "On the way"];

  // What a reader may write: 28/30, 0.93, 2,17, 93 %, ln 3, e^0.5, sqrt(2), 1.2 bits
  const NAMES = { e: Math.E, pi: Math.PI, "π": Math.PI, inf: Infinity, infinity: Infinity, infinite: Infinity, "∞": Infinity };
  const CALLS = { ln: Math.log, log: Math.log, exp: Math.exp, sqrt: Math.sqrt, "√": Math.sqrt, abs: Math.abs };
  const has = (known, word) => Object.hasOwn(known, word);
  const tokens = (text) => {
    const found = [];
    const token = /\s*(?:((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)|(\*\*|[-+*/^()%√])|([a-zπ∞]+))/y;
    while (token.lastIndex < text.length) {
      const one = token.exec(text);
      if (!one) throw new Error("unreadable");
      found.push(one[1] ? Number(one[1]) : (one[2] ?? one[3]));
    }
    return found;
  };
  const value = (text) => {
    const left = tokens(text);
    const take = (...words) => words.includes(left[0]) && left.shift();
    const sum = () => {
      let total = product();
      for (let sign; (sign = take("+", "-")); ) total += sign === "+" ? product() : -product();
      return total;
    };
    const starts = () => left[0] === "(" || has(NAMES, left[0]) || has(CALLS, left[0]);
    const product = () => {
      let total = signed();
      for (;;) {
        if (take("*")) total *= signed();
        else if (take("/")) total /= signed();
        else if (left.length && starts()) total *= power();
        else return total;
      }
    };
    const signed = () => (take("-") ? -signed() : take("+") ? signed() : power());
    const power = () => {
      const base = single();
      return take("^", "**") ? base ** signed() : base;
    };
    const single = () => {
      const one = left.shift();
      let found;
      if (typeof one === "number") found = one;
      else if (one === "(") {
        found = sum();
        if (!take(")")) throw new Error("unreadable");
      } else if (has(NAMES, one)) found = NAMES[one];
      else if (has(CALLS, one)) return CALLS[one](take("-") ? -power() : power());
      else throw new Error("unreadable");
      while (take("%")) found /= 100;
      return found;
    };
    const total = sum();
    if (left.length || Number.isNaN(total)) throw new Error("unreadable");
    return total;
  };
  // the numbers that a text may mean, each with the digits that were written
  const numbers = (text) => {
    const plain = text.trim().toLowerCase().replace(/[−–]/g, "-").replace(/[×·]/g, "*").replace(/[÷:]/g, "/")
      .replace(/\s*nats?\.?$/, "").replace(/^(.*\S)\s*bits?\.?$/, "($1)*ln(2)");
    const meant = [plain.replace(/(\d),(?=\d)/g, "$1.")];
    if (/^-?\d{1,3}([,. ]\d{3})+$/.test(plain)) meant.push(plain.replace(/[,. ]/g, ""));
    const found = [];
    for (const one of meant)
      try {
        const decimal = /^[-+]?(\d*\.?\d*)\s*%?$/.exec(one);
        const written = decimal ? decimal[1].replace(".", "").replace(/^0+/, "").length : Infinity;
        found.push({ number: value(one), written });
      } catch (error) {
        if (error.message !== "unreadable") throw error;
      }
    return found;
  };

  // whether a number is the value, rounded to the digits that were written
  const isRounded = (number, value, written) => {
    if (!Number.isFinite(number) || number === 0) return number === value;
    const exponent = Number(number.toExponential(written - 1).split("e")[1]);
    return Math.abs(number - value) <= (10 ** (exponent - written + 1) / 2) * (1 + SLACK);
  };
  const isNumber = (field, number, written = Infinity) => {
    const value = Number(field.value);
    if (field.kind === "integer") return Math.abs(number - value) < SLACK;
    if (number === value || Math.abs(number - value) <= field.tolerance * (1 + SLACK)) return true;
    return written <= FEWEST && isRounded(number, value, FEWEST);
  };
  // right, but for want of a second digit
  const isShort = (field, { number, written }) =>
    field.kind === "number" && written === 1 && isRounded(number, Number(field.value), written);
  // what a wrong number has to do with the right one, where that is easily seen
  const MORE_DIGITS = "right as far as it goes: give two significant digits at least";
  const SLIPS = [
    [(x) => x / 100, "as a percentage this is right: write the % sign"],
    [(x) => -x, "check the sign"],
    [(x) => 1 / x, "this is the reciprocal"],
    [(x) => x * Math.LN2, "this is in bits; the book counts in nats"],
    [(x) => 1 - x, "this is the complement, 1 minus the answer"],
  ];
  const slip = (field, text) => {
    if (field.kind !== "number") return "";
    const read = numbers(text);
    if (read.some((one) => isShort(field, one))) return MORE_DIGITS;
    const [{ number }] = read;
    const found = SLIPS.find(([mend]) => Number.isFinite(mend(number)) && isNumber(field, mend(number)));
    return found ? found[1] : "";
  };

  const make = (tag, className, text) => {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text) made.textContent = text;
    return made;
  };

  // what was solved, in this browser; where it may keep nothing, until the page is left
  const KEY = `companion-exercises:${page}`;
  let kept = {};
  try {
    kept = JSON.parse(localStorage.getItem(KEY) ?? "{}");
  } catch {
    kept = {};
  }
  const keep = () => {
    try {
      localStorage.setItem(KEY, JSON.stringify(kept));
    } catch {
      progress.title = "This browser keeps nothing for this site: progress ends with this visit.";
    }
  };

  const all = [...document.querySelectorAll(".exercise[id]")];
  const progress = make("p", "companion-progress");
  const count = make("span");
  count.setAttribute("role", "status");
  const over = make("button", "", "Start over");
  over.type = "button";
  progress.append(count, over);
  const tell = () => {
    const solved = all.filter((one) => kept[one.id]?.solved);
    for (const one of all) one.classList.toggle("companion-solved", solved.includes(one));
    count.textContent = `${solved.length} of ${all.length} solved`;
    over.hidden = !Object.keys(kept).length;
  };
  const note = (id, change) => {
    kept[id] = { ...kept[id], ...change };
    keep();
    tell();
  };

  const solutionOf = (exercise) => {
    for (let next = exercise.nextElementSibling; next && !next.matches(".exercise"); next = next.nextElementSibling)
      if (next.matches(".tag_solution")) return next.querySelector("details");
    return null;
  };
  const field = (expected, at, name) => {
    const label = make("label", "", name);
    let input;
    if (expected.fields[at].kind === "choice") {
      input = make("select");
      for (const one of ["", ...expected.choices]) input.append(new Option(one || "choose", one));
    } else {
      input = make("input");
      input.autocomplete = "off";
      input.spellcheck = false;
      input.size = 12;
    }
    if (!name) input.setAttribute("aria-label", "Your answer");
    label.append(input);
    return { label, input };
  };
  const layOut = (expected) => {
    const inputs = [];
    const add = (row, column) => {
      const { label, input } = field(expected, inputs.length, [row, column].filter(Boolean).join(", "));
      inputs.push(input);
      return label;
    };
    if (expected.columns.length === 1) {
      const box = make("div", "companion-fields");
      box.append(...expected.rows.map((row) => add(row, expected.columns[0])));
      return { box, inputs };
    }
    const box = make("table");
    const head = box.createTHead().insertRow();
    head.append(make("td"), ...expected.columns.map((one) => make("th", "", one)));
    const body = box.createTBody();
    for (const row of expected.rows) {
      const line = body.insertRow();
      line.append(make("th", "", row));
      for (const column of expected.columns) {
        const label = add(row, column);
        const input = label.lastChild;
        input.setAttribute("aria-label", `${row}, ${column}`);
        line.insertCell().append(input);
      }
    }
    return { box, inputs };
  };

  const HELP = "such as 0.93, 28/30, 93 % or ln 3; two significant digits at least";
  const set = (place) => {
    const expected = JSON.parse(place.dataset.expected);
    const version = place.dataset.expected; // what was solved is forgotten once the exercise changes
    const exercise = place.closest(".exercise");
    const form = make("form", "companion-try");
    form.noValidate = true;
    const { box, inputs } = layOut(expected);
    const go = make("button", "companion-check", "Check");
    const hint = make("button", "companion-hint", "Hint");
    hint.type = "button";
    const said = make("p", "companion-said");
    said.setAttribute("role", "status");
    const hints = make("ol", "companion-hints");
    const buttons = make("span", "companion-try-buttons");
    buttons.append(go, hint);
    form.append(box, buttons, said, hints);
    if (expected.fields.some(({ kind }) => kind === "number")) {
      const help = make("small", "companion-help", HELP);
      help.id = `companion-help-${exercise.id}`;
      for (const one of inputs) one.setAttribute("aria-describedby", help.id);
      box.after(help);
    }
    place.append(form);

    const say = (text, kind = "") => {
      said.textContent = text;
      said.className = `companion-said ${kind}`;
    };
    const names = (at) => expected.rows.flatMap((row) => expected.columns.map((column) => [row, column].filter(Boolean).join(", ")))[at];
    const offer = () => {
      const left = hints.children.length < expected.hints.length;
      hint.textContent = left ? "Hint" : "Show the solution";
      hint.hidden = !left && !solutionOf(exercise);
    };
    const give = () => {
      const at = hints.children.length;
      if (at >= expected.hints.length) return;
      const item = make("li");
      item.append(make("b", "", `${KINDS[at] ?? "Hint"}: `), expected.hints[at]);
      hints.append(item);
      offer();
    };
    const known = kept[exercise.id];
    if (known?.version && known.version !== version) delete kept[exercise.id];
    else for (let n = known?.hints ?? 0; n > 0; n--) give();
    if (kept[exercise.id]?.solved) say("Right.", "companion-right");
    offer();

    const judge = () => {
      const texts = inputs.map((one) => one.value.trim());
      const empty = texts.findIndex((text) => !text);
      if (empty >= 0) {
        inputs[empty].focus();
        return say(inputs.length > 1 ? "Fill in each field." : "Write your answer first.");
      }
      const numeric = (at) => expected.fields[at].kind !== "choice";
      const unread = texts.findIndex((text, at) => numeric(at) && !numbers(text).length);
      if (unread >= 0) return say(`“${texts[unread]}” cannot be read as a number: write it ${HELP}.`, "companion-not-yet");
      const right = texts.map((text, at) =>
        numeric(at)
          ? numbers(text).some(({ number, written }) => isNumber(expected.fields[at], number, written))
          : text === expected.fields[at].value,
      );
      if (right.every(Boolean)) {
        note(exercise.id, { solved: true, version });
        return say("Right.", "companion-right");
      }
      const slips = texts.map((text, at) => (right[at] ? "" : slip(expected.fields[at], text)));
      const tried = (kept[exercise.id]?.tried ?? []).filter((one) => one !== texts.join(";"));
      const isNew = tried.length === (kept[exercise.id]?.tried ?? []).length;
      // an answer that only lacks digits needs no other hint
      if (isNew && slips.some((one, at) => !right[at] && one !== MORE_DIGITS)) give();
      note(exercise.id, { tried: [...tried, texts.join(";")].slice(-20), hints: hints.children.length, version });
      const told = texts.map((_, at) => (names(at) ? `${names(at)} is ${right[at] ? "right" : "not right yet"}` : "") +
        (slips[at] ? `${names(at) ? " (" : ""}${slips[at]}${names(at) ? ")" : ""}` : ""));
      const words = told.filter(Boolean).join("; ");
      say(words ? `Not yet: ${words}.` : "Not yet.", "companion-not-yet");
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      judge();
    });
    hint.addEventListener("click", () => {
      if (hints.children.length < expected.hints.length) {
        give();
        note(exercise.id, { hints: hints.children.length, version });
        return;
      }
      const fold = solutionOf(exercise);
      fold.open = true;
      fold.querySelector("summary").focus();
    });
    return () => {
      form.reset();
      hints.replaceChildren();
      say("");
      offer();
    };
  };

  const places = [...document.querySelectorAll(".companion-exercise")];
  if (!places.length) return;
  const resets = places.map(set);
  over.addEventListener("click", () => {
    kept = {};
    keep();
    for (const reset of resets) reset();
    tell();
  });
  all[0].before(progress);
  tell();
})();
