// A code cell that can be changed: its text in a field, run from there on, and put back.
const button = (text, className) => {
  const made = document.createElement("button");
  made.type = "button";
  made.className = className;
  made.textContent = text;
  return made;
};

export const editable = (cell, { index, source }, edited, run) => {
  const input = cell?.querySelector(".cell_input");
  if (!input) return;
  const edit = button("Change this cell", "companion-edit");
  input.append(edit);
  edit.addEventListener("click", () => {
    const code = input.querySelector("div[class*=highlight]");
    const field = document.createElement("textarea");
    field.value = edited.get(index) ?? source;
    field.rows = Math.min(24, field.value.split("\n").length + 1);
    field.spellcheck = false;
    field.setAttribute("aria-label", "Code of this cell; Shift and Enter run it. Tab leaves the field.");
    const go = button("Run from here", "companion-from-here");
    const undo = button("Undo", "companion-undo");
    code.hidden = true;
    edit.hidden = true;
    input.append(field, go, undo);
    field.focus();
    const start = () => {
      edited.set(index, field.value);
      run();
    };
    field.addEventListener("input", () => edited.set(index, field.value));
    go.addEventListener("click", start);
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && event.shiftKey) {
        event.preventDefault();
        start();
      }
    });
    undo.addEventListener("click", () => {
      edited.delete(index);
      for (const one of [field, go, undo]) one.remove();
      code.hidden = false;
      edit.hidden = false;
      edit.focus({ preventScroll: true });
    });
  });
};
