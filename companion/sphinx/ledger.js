// Filters and sorts the ledger's cards and the plot's points; a link to a card shows it, whatever is filtered.
(() => {
  const form = document.getElementById("ledger-controls");
  const list = document.getElementById("ledger-list");
  if (!form || !list) return;
  const cards = [...list.querySelectorAll("article.claim")];
  const points = new Map([...document.querySelectorAll("#ledger-plot a")].map((a) => [a.dataset.id, a]));
  const output = form.querySelector("output");
  const words = new Map(cards.map((card) => [card, card.textContent.toLowerCase()]));

  const choices = [...form.querySelectorAll("select[data-filter]")].map((select) => select.dataset.filter);
  const value = (name) => form.querySelector(`[data-filter="${name}"]`).value;
  const shows = (card) =>
    choices.every((name) => !value(name) || card.dataset[name] === value(name)) &&
    value("text").toLowerCase().split(/\s+/).every((word) => words.get(card).includes(word));

  const update = () => {
    let count = 0;
    for (const card of cards) {
      card.hidden = !shows(card);
      count += !card.hidden;
      const point = points.get(card.id);
      if (point) point.style.display = card.hidden ? "none" : "";
    }
    output.textContent = `${count} of ${cards.length}`;
  };

  const sort = () => {
    const by = form.querySelector("[data-sort]").value;
    const number = by === "order" || by === "off";
    const key = (card) => (number ? Number(card.dataset[by]) : card.dataset[by]);
    const way = by === "off" ? -1 : 1;
    const order = (card) => Number(card.dataset.order);
    cards.sort((a, b) => (key(a) < key(b) ? -way : key(a) > key(b) ? way : order(a) - order(b)));
    list.append(...cards);
  };

  const reveal = () => {
    const card = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!card || !card.matches("article.claim")) return;
    if (card.hidden) {
      form.reset();
      update();
    }
    card.scrollIntoView();
  };

  form.hidden = false;
  form.addEventListener("input", update);
  form.addEventListener("change", sort);
  form.addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", reveal);
  update();
  reveal();
})();
