// Each toggle of the side bar says what it opens; the theme gives it an icon alone.
document.addEventListener("DOMContentLoaded", () => {
  for (const toggle of document.querySelectorAll("summary:has(> .toctree-toggle)")) {
    const page = toggle.closest("li")?.querySelector("a")?.textContent.trim();
    toggle.setAttribute("aria-label", `Pages below ${page}`);
  }
});
// A table or code that is wider than its box scrolls: the keyboard reaches it as long as it does.
document.addEventListener("DOMContentLoaded", () => {
  const wide = document.querySelectorAll("article.bd-article :is(table, pre)");
  const watch = new ResizeObserver((seen) => {
    for (const { target } of seen) {
      const scrolls = target.scrollWidth > target.clientWidth && !target.querySelector("a, button, input");
      if (scrolls) target.tabIndex = 0;
      else target.removeAttribute("tabindex");
    }
  });
  wide.forEach((one) => watch.observe(one));
});
