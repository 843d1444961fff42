// Exercises judged where they stand: an answer is hashed and compared, hints come one by one, and what was solved is
// remembered in this browser alone. The rules of what a number may stand for are those of companion/sealing.py.
(() => {
  const page = document.currentScript.dataset.page;
  const FEWEST = 2;
  const TINY = 1e-12;
  const KINDS = ["Direction", "Method", "On the way"];

  // SHA-256: crypto.subtle is not there on pages opened as files
  const primes = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p)) primes.push(n);
  const fraction = (x) => ((x - Math.floor(x)) * 4294967296) | 0;
  const START = primes.slice(0, 8).map((p) => fraction(Math.sqrt(p)));
  const ROUNDS = primes.map((p) => fraction(Math.cbrt(p)));
  const turned = (x, n) => (x >>> n) | (x << (32 - n));
  const sha256 = (text) => {
    const bytes = [...new TextEncoder().encode(text)];
    const bits = bytes.length * 8;
    bytes.push(0x80);
    while (bytes.length % 64 !== 56) bytes.push(0);
    for (let shift = 56; shift >= 0; shift -= 8) bytes.push(shift > 31 ? 0 : (bits >>> shift) & 255);
    let state = START;
    for (let at = 0; at < bytes.length; at += 64) {
      const w = [];
      for (let i = 0; i < 64; i++) {
        if (i < 16) {
          const k = at + 4 * i;
          w[i] = (bytes[k] << 24) | (bytes[k + 1] << 16) | (bytes[k + 2] << 8) | bytes[k + 3];
        } else {
          const s0 = turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ (w[i - 15] >>> 3);
          const s1 = turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ (w[i - 2] >>> 10);
          w[i] = (w[i - 16] + s0 + w[i - 7] + s1) | 0;
        }
      }
      let [a, b, c, d, e, f, g, h] = state;
      for (let i = 0; i < 64; i++) {
        const s1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
        const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUNDS[i] + w[i]) | 0;
        const s0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
        const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
        [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
      }
      state = [a, b, c, d, e, f, g, h].map((x, i) => (x + state[i]) | 0);
    }
    return state.map((x) => (x >>> 0).toString(16).padStart(8, "0")).join("");
  };
  const hashed = (salt, number, word) => sha256(`${salt}/${number}/${word}`).slice(0, 20);
  const disclosed = (text) => new TextDecoder().decode(Uint8Array.from(atob(text), (one) => one.charCodeAt(0)));

  const rounded = (value, digits) => {
    if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
    return Math.abs(value) < TINY ? "0" : value.toExponential(digits - 1).replace("e+", "e");
  };
  const readings = (value, written, digits) => {
    const found = [rounded(value, digits)];
    if (!Number.isFinite(value) || Math.abs(value) < TINY) return found;
    const unit = 10 ** (Number(found[0].split("e")[1]) - digits + 1);
    found.push(rounded(value - unit, digits), rounded(value + unit, digits));
    if (written === FEWEST && FEWEST < digits) found.push(rounded(value, FEWEST));
    return found;
  };

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

  const fits = (sealed, at, words) => words.some((one) => sealed.fields[at].hashes.includes(hashed(sealed.salt, at, one)));
  const isNumber = (sealed, at, number, written = Infinity) =>
    sealed.fields[at].kind === "integer"
      ? Number.isFinite(number) && Math.abs(number - Math.round(number)) < 1e-9 && fits(sealed, at, [String(Math.round(number))])
      : fits(sealed, at, readings(number, written, sealed.digits));
  // what a wrong number has to do with the right one, where that is easily seen
  const SLIPS = [
    [(x) => x / 100, "as a percentage this is right: write the % sign"],
    [(x) => -x, "check the sign"],
    [(x) => 1 / x, "this is the reciprocal"],
    [(x) => x * Math.LN2, "this is in bits; the book counts in nats"],
    [(x) => 1 - x, "this is the complement, 1 minus the answer"],
  ];
  const slip = (sealed, at, text) => {
    if (sealed.fields[at].kind !== "number") return "";
    const [first] = numbers(text);
    const found = SLIPS.find(([mend]) => Number.isFinite(mend(first.number)) && isNumber(sealed, at, mend(first.number)));
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
  const progress = make("p", "lift-progress");
  const count = make("span");
  count.setAttribute("role", "status");
  const over = make("button", "", "Start over");
  over.type = "button";
  progress.append(count, over);
  const tell = () => {
    const solved = all.filter((one) => kept[one.id]?.solved);
    for (const one of all) one.classList.toggle("lift-solved", solved.includes(one));
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
  const show = (place) => {
    const box = make("template");
    box.innerHTML = disclosed(place.dataset.solution);
    place.replaceWith(box.content);
  };
  const revealIn = (root) => root.querySelectorAll(".lift-solution").forEach(show);
  for (const fold of document.querySelectorAll(".tag_solution details"))
    fold.addEventListener("toggle", () => fold.open && revealIn(fold));
  document.addEventListener("lift-run-begins", () => revealIn(document));

  const field = (sealed, at, name) => {
    const label = make("label", "", name);
    let input;
    if (sealed.fields[at].kind === "choice") {
      input = make("select");
      for (const one of ["", ...sealed.choices]) input.append(new Option(one || "choose", one));
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
  const layOut = (sealed) => {
    const inputs = [];
    const add = (row, column) => {
      const { label, input } = field(sealed, inputs.length, [row, column].filter(Boolean).join(", "));
      inputs.push(input);
      return label;
    };
    if (sealed.columns.length === 1) {
      const box = make("div", "lift-fields");
      box.append(...sealed.rows.map((row) => add(row, sealed.columns[0])));
      return { box, inputs };
    }
    const box = make("table");
    const head = box.createTHead().insertRow();
    head.append(make("td"), ...sealed.columns.map((one) => make("th", "", one)));
    const body = box.createTBody();
    for (const row of sealed.rows) {
      const line = body.insertRow();
      line.append(make("th", "", row));
      for (const column of sealed.columns) {
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
    const sealed = JSON.parse(disclosed(place.dataset.sealed));
    const exercise = place.closest(".exercise");
    const form = make("form", "lift-try");
    form.noValidate = true;
    const { box, inputs } = layOut(sealed);
    const go = make("button", "lift-check", "Check");
    const hint = make("button", "lift-hint", "Hint");
    hint.type = "button";
    const said = make("p", "lift-said");
    said.setAttribute("role", "status");
    const hints = make("ol", "lift-hints");
    const buttons = make("span", "lift-try-buttons");
    buttons.append(go, hint);
    form.append(box, buttons, said, hints);
    if (sealed.fields.some(({ kind }) => kind === "number")) {
      const help = make("small", "lift-help", HELP);
      help.id = `lift-help-${exercise.id}`;
      for (const one of inputs) one.setAttribute("aria-describedby", help.id);
      box.after(help);
    }
    place.append(form);

    const say = (text, kind = "") => {
      said.textContent = text;
      said.className = `lift-said ${kind}`;
    };
    const names = (at) => sealed.rows.flatMap((row) => sealed.columns.map((column) => [row, column].filter(Boolean).join(", ")))[at];
    const offer = () => {
      const left = hints.children.length < sealed.hints.length;
      hint.textContent = left ? "Hint" : "Show the solution";
      hint.hidden = !left && !solutionOf(exercise);
    };
    const give = () => {
      const at = hints.children.length;
      if (at >= sealed.hints.length) return;
      const item = make("li");
      item.append(make("b", "", `${KINDS[at] ?? "Hint"}: `), sealed.hints[at]);
      hints.append(item);
      offer();
    };
    const known = kept[exercise.id];
    if (known?.salt && known.salt !== sealed.salt) delete kept[exercise.id];
    else for (let n = known?.hints ?? 0; n > 0; n--) give();
    if (kept[exercise.id]?.solved) say("Right.", "lift-right");
    offer();

    const judge = () => {
      const texts = inputs.map((one) => one.value.trim());
      const empty = texts.findIndex((text) => !text);
      if (empty >= 0) {
        inputs[empty].focus();
        return say(inputs.length > 1 ? "Fill in each field." : "Write your answer first.");
      }
      const numeric = (at) => sealed.fields[at].kind !== "choice";
      const unread = texts.findIndex((text, at) => numeric(at) && !numbers(text).length);
      if (unread >= 0) return say(`“${texts[unread]}” cannot be read as a number: write it ${HELP}.`, "lift-not-yet");
      const right = texts.map((text, at) =>
        numeric(at) ? numbers(text).some(({ number, written }) => isNumber(sealed, at, number, written)) : fits(sealed, at, [text]),
      );
      if (right.every(Boolean)) {
        note(exercise.id, { solved: true, salt: sealed.salt });
        return say("Right.", "lift-right");
      }
      const tried = (kept[exercise.id]?.tried ?? []).filter((one) => one !== texts.join(";"));
      if (tried.length === (kept[exercise.id]?.tried ?? []).length) give();
      note(exercise.id, { tried: [...tried, texts.join(";")].slice(-20), hints: hints.children.length, salt: sealed.salt });
      const slips = texts.map((text, at) => (right[at] ? "" : slip(sealed, at, text)));
      const told = texts.map((_, at) => (names(at) ? `${names(at)} is ${right[at] ? "right" : "not right yet"}` : "") +
        (slips[at] ? `${names(at) ? " (" : ""}${slips[at]}${names(at) ? ")" : ""}` : ""));
      const words = told.filter(Boolean).join("; ");
      say(words ? `Not yet: ${words}.` : "Not yet.", "lift-not-yet");
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      judge();
    });
    hint.addEventListener("click", () => {
      if (hints.children.length < sealed.hints.length) {
        give();
        note(exercise.id, { hints: hints.children.length, salt: sealed.salt });
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

  const places = [...document.querySelectorAll(".lift-exercise")];
  if (!places.length) return;
  const resets = places.map(set);
  over.addEventListener("click", () => {
    kept = {};
    keep();
    for (const reset of resets) reset();
    tell();
  });
  // an answer in Python counts too
  document.addEventListener("lift-right", ({ target }) => note(target.closest(".exercise").id, { solved: true }));
  all[0].before(progress);
  tell();
})();
