// The button "Run this page". Nothing else is loaded until a reader points at it; an address with "run" opens the panel.
(() => {
  const script = document.currentScript;
  const title = document.querySelector("article.bd-article h1");
  if (!title) return;
  const bar = document.createElement("div");
  bar.className = "companion-start";
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Run this page";
  const note = document.createElement("span");
  note.textContent = script.dataset.note;
  note.setAttribute("role", "status");
  bar.append(button, note);
  // after the opening's figure or, if it has none, after its text
  const first = document.querySelector("article.bd-article :is(figure, h2)");
  if (!first) (title.closest("section") ?? title.parentElement).append(bar);
  else if (first.matches("figure")) (first.closest(".cell") ?? first).after(bar);
  else (first.closest("section") ?? first).before(bar);

  let panel;
  const open = () => (panel ??= load());
  const load = async () => {
    if (location.protocol === "file:") {
      note.textContent =
        "A page opened as a file may not start Python: run “make serve” (or “python -m http.server” in this folder) and open it from there.";
      return;
    }
    button.disabled = true;
    note.textContent = "Loading.";
    try {
      const { openPanel } = await import(new URL("page.mjs", script.src));
      return await openPanel(bar, script.dataset.page);
    } catch (error) {
      panel = undefined;
      button.disabled = false;
      note.textContent = `The page's own files could not be loaded (${error.message}). Try again.`;
    }
  };
  button.addEventListener("click", open);

  // Python's files come into the browser's cache as soon as a reader seems about to need them, if data may be spent
  const fetchAhead = async () => {
    if (location.protocol === "file:" || navigator.connection?.saveData) return;
    const { files } = await fetch(new URL("settings.json", script.src)).then((answer) => answer.json());
    for (const name of files) fetch(new URL(name, script.src), { priority: "low" }).catch(() => {});
  };
  for (const sign of ["pointerenter", "focus"]) button.addEventListener(sign, fetchAhead, { once: true });

  // a page may also have a tool of the book's: a script of its own, loaded when its button is pressed
  if ("tool" in script.dataset) {
    const tool = document.createElement("button");
    tool.type = "button";
    tool.className = "companion-tool";
    tool.textContent = script.dataset.toolLabel;
    const place = document.createElement("div");
    place.className = "companion-start";
    place.append(tool);
    bar.after(place);
    tool.addEventListener("click", async () => {
      if (location.protocol === "file:") return open();
      const { openTool } = await import(new URL(script.dataset.tool, script.src));
      openTool(place);
      place.remove();
    });
  }

  if (new URLSearchParams(location.search).has("run") && location.protocol !== "file:") open();
})();
