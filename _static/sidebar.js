// Each toggle of the side bar says what it opens; the theme gives it an icon alone.
document.addEventListener("DOMContentLoaded", () => {
  for (const toggle of document.querySelectorAll("summary:has(> .toctree-toggle)")) {
    const page = toggle.closest("li")?.querySelector("a")?.textContent.trim();
    toggle.setAttribute("aria-label", `Pages below ${page}`);
  }
});
