// What a link within the book leads to, shown beside it: on hover after a moment, at once for who comes by keyboard.
(() => {
  const root = document.documentElement.dataset.content_root || "./";
  const box = document.createElement("div");
  let wanted = null;
  let timer = 0;
  box.className = "lift-preview";
  box.id = "lift-preview";
  box.role = "tooltip";
  box.hidden = true;

  // one script with all previews, fetched when first asked: a page read from a file may not fetch anything else
  const all = () => (all.loading ??= new Promise((done) => {
    const script = document.createElement("script");
    script.src = `${root}_static/previews-of.js`;
    script.onload = () => done(window.companionPreviews);
    script.onerror = () => done({});
    document.head.append(script);
  }));

  const key = (link) => {
    const base = new URL(root, location.href);
    const to = new URL(link.href, location.href);
    return to.hash && to.pathname.startsWith(base.pathname)
      ? to.pathname.slice(base.pathname.length) + decodeURIComponent(to.hash) : null;
  };

  const place = (link) => {
    const at = link.getClientRects()[0];
    const left = Math.min(at.left, document.documentElement.clientWidth - box.offsetWidth - 8);
    const below = at.bottom + box.offsetHeight + 8 < innerHeight;
    box.style.left = `${scrollX + Math.max(8, left)}px`;
    box.style.top = `${scrollY + (below ? at.bottom + 6 : at.top - box.offsetHeight - 6)}px`;
  };

  const show = async (link) => {
    const found = (await all())[key(link)];
    if (!found || wanted !== link) return;
    box.innerHTML = found;
    for (const node of box.querySelectorAll("[href], [src]"))
      for (const name of ["href", "src"]) {
        const address = node.getAttribute(name);
        if (address && !/^([a-z]+:|#)/.test(address)) node.setAttribute(name, root + address);
      }
    box.hidden = false;
    link.setAttribute("aria-describedby", box.id);
    place(link);
    if (window.MathJax?.typesetPromise) {
      await MathJax.typesetPromise([box]);
      if (wanted === link) place(link);
    }
  };

  const hide = () => {
    clearTimeout(timer);
    wanted?.removeAttribute("aria-describedby");
    wanted = null;
    box.hidden = true;
  };

  const linkOf = (event) => event.target.closest?.("article a.internal[href*='#']");
  addEventListener("DOMContentLoaded", () => {
    document.body.append(box);
    document.addEventListener("pointerover", (event) => {
      if (event.pointerType === "touch" || box.contains(event.target)) return;
      const link = linkOf(event);
      if (link === wanted && link) return;
      hide();
      if (link && key(link)) {
        wanted = link;
        timer = setTimeout(() => show(link), 250);
      }
    });
    document.addEventListener("focusin", (event) => {
      const link = linkOf(event);
      if (link && key(link)) {
        hide();
        wanted = link;
        show(link);
      }
    });
    document.addEventListener("focusout", hide);
    document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  });
})();
