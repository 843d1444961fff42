// What the address asks for stays in view while formulas, charts and fonts change the height of what is above it.
(() => {
  const QUIET = 5000; // ms: a page whose height has not changed for so long has settled
  let height = 0;
  let timer = 0;

  const stay = () => {
    const changed = document.body.offsetHeight !== height;
    height = document.body.offsetHeight;
    if (changed) document.querySelector(":target")?.scrollIntoView({ behavior: "instant" });
    return changed;
  };
  const observer = new ResizeObserver(() => stay() && settle());
  const leave = () => {
    observer.disconnect();
    clearTimeout(timer);
  };
  const settle = () => {
    clearTimeout(timer);
    timer = setTimeout(() => (stay() || document.hidden || document.readyState !== "complete" ? settle() : leave()), QUIET);
  };
  const keep = () => {
    if (!location.hash) return;
    observer.observe(document.body);
    settle();
  };

  // the browser restores the reader's own place on a page that is read again
  const again = performance.getEntriesByType("navigation")[0]?.type !== "navigate";
  if (!again) document.readyState === "loading" ? addEventListener("DOMContentLoaded", keep) : keep();
  addEventListener("hashchange", () => {
    height = document.body.offsetHeight;
    keep();
  });
  for (const own of ["wheel", "touchmove", "keydown", "pointerdown"]) addEventListener(own, leave, { passive: true });
})();
