// The button under each figure that has its rows; the chart and its grammar are loaded when it is pressed.
(() => {
  const own = document.currentScript.src;
  const offer = (link) => {
    const button = document.createElement("button");
    const note = document.createElement("span");
    note.setAttribute("role", "status");
    button.type = "button";
    button.className = "lift-explore";
    button.textContent = "Live chart";
    button.setAttribute("aria-expanded", "false");
    const bar = document.createElement("p");
    bar.className = "lift-start";
    bar.append(button, note);
    link.after(bar);
    let chart;
    button.addEventListener("click", async () => {
      if (location.protocol === "file:") {
        note.textContent = "A page opened as a file may not load a chart: run “make serve” and open it from there.";
        return;
      }
      const opening = button.getAttribute("aria-expanded") === "false";
      if (opening && !chart) {
        button.disabled = true;
        note.textContent = "Loading.";
        try {
          const { openChart } = await import(new URL("chart.mjs", own));
          chart = await openChart(link, bar);
          note.textContent = "";
        } catch (error) {
          note.textContent = `The chart could not be loaded (${error.message}). Try again.`;
          return;
        } finally {
          button.disabled = false;
        }
      }
      chart.hidden = !opening;
      link.classList.toggle("lift-replaced", opening);
      button.setAttribute("aria-expanded", String(opening));
      button.textContent = opening ? "The picture" : "Live chart";
    });
    return button;
  };
  const inside = (place) => [...place.querySelectorAll("a.lift-drawing[data-rows]")].map(offer);
  inside(document);
  // a figure of the reader's run is live where the book's is
  document.addEventListener("lift-placed", ({ target }) => {
    const open = target.parentElement.querySelector('.lift-explore[aria-expanded="true"]');
    for (const button of inside(target)) if (open) button.click();
  });
})();
