// The button "Run this page". Nothing else is loaded until it is pressed; an address with parameters opens the panel.
(() => {
  const script = document.currentScript;
  const title = document.querySelector("article.bd-article h1");
  if (!title) return;
  const bar = document.createElement("div");
  bar.className = "lift-start";
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Run this page";
  const note = document.createElement("span");
  note.textContent = script.dataset.note;
  note.setAttribute("role", "status");
  bar.append(button, note);
  title.after(bar);

  const open = async () => {
    if (location.protocol === "file:") {
      note.textContent =
        "A page opened as a file may not start Python: run “make serve” (or “python -m http.server” in this folder) and open it from there.";
      return;
    }
    button.disabled = true;
    try {
      const { openPanel } = await import(new URL("page.mjs", script.src));
      await openPanel(bar, script.dataset.page);
    } catch (error) {
      button.disabled = false;
      note.textContent = `The page's own files could not be loaded (${error.message}). Try again.`;
    }
  };
  button.addEventListener("click", open);
  if (new URLSearchParams(location.search).has("run") && location.protocol !== "file:") open();
})();
