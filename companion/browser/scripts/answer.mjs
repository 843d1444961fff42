// A field for an exercise's answer, and what the page's own check says of it.
const make = (tag, className, text) => {
  const made = document.createElement(tag);
  made.className = className;
  if (text) made.textContent = text;
  return made;
};

export const answerBox = ({ name, label }, button, check) => {
  const box = make("div", "lift-answer");
  const field = document.createElement("textarea");
  field.rows = 4;
  field.spellcheck = false;
  field.placeholder = `${name} = ...   # a value alone on the last line will do`;
  field.setAttribute("aria-label", `Your answer to this exercise; Shift and Enter check it.`);
  field.id = `lift-answer-${label}`;
  const go = make("button", "lift-check", "Check");
  go.type = "button";
  const said = make("p", "lift-verdict");
  said.setAttribute("role", "status");
  box.append(field, go, said);
  button.replaceWith(box);
  field.focus();

  const say = (text, kind = "") => {
    said.textContent = text;
    said.className = `lift-verdict ${kind}`;
  };
  const run = async () => {
    go.disabled = true;
    say("Checking.");
    try {
      const { error, verdict, right, outputs } = await check(field.value, say);
      const printed = (outputs ?? []).map((one) => one.stream ?? "").join("");
      if (error) say(`${error.line ? `line ${error.line}: ` : ""}${error.name}: ${error.says}`, "lift-wrong-answer");
      else say(`${printed}${verdict}`, right ? "lift-right" : "lift-not-yet");
      if (right) box.dispatchEvent(new Event("lift-right", { bubbles: true }));
    } catch (error) {
      say(error.message, "lift-wrong-answer");
    } finally {
      go.disabled = false;
    }
  };
  go.addEventListener("click", run);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.shiftKey) return;
    event.preventDefault();
    run();
  });
};
