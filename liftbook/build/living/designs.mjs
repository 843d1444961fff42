// The designs from a hundred tables in the plane: a slider sets how many rows each table has.
for (const place of document.querySelectorAll(".lift-designs[hidden]")) {
  const { figure, sizes, designs, scale: [nat, left, bottom] } = JSON.parse(place.dataset.designs);
  const [slider, shown, said] = ["input", "output", "[role=status]"].map((one) => place.querySelector(one));
  const drawing = document.querySelector(`#${figure} .companion-drawing`);
  const draw = () => {
    const { rows, marks, inside } = sizes[slider.value];
    marks.forEach((places, at) => place.querySelectorAll(`.lift-design-${at} path`).forEach((mark, i) => {
      const [fall, rise] = places[i].map((one) => (nat * one) / 1000);
      mark.style.transform = `translate(${left + fall}px,${bottom - rise}px)`;
    }));
    shown.textContent = rows.toLocaleString("en");
    slider.setAttribute("aria-valuetext", `${shown.textContent} rows`);
    said.textContent = `Inside the square: ${designs.map((name, at) => `${inside[at]} of ${marks[at].length} ${name}`).join(", ")}.`;
  };
  const swap = (live) => { [drawing.hidden, place.hidden] = [live, !live]; };
  slider.addEventListener("input", draw);
  document.addEventListener("companion-run-begins", () => swap(false)); // what a reader's own run draws takes its place
  drawing.before(place);
  draw();
  swap(true);
}
