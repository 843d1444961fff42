// Old addresses on a paper's page: the rows of claims stand on the ledger alone, and headings name the paper.
(() => {
  const forward = () => {
    const paper = /\/record-(\w+)\.html$/.exec(location.pathname)?.[1];
    const name = decodeURIComponent(location.hash.slice(1));
    if (!paper || !name || document.getElementById(name)) return;
    if (document.getElementById(`${paper}-${name}`)) location.replace(`#${paper}-${name}`);
    else if (/^(e23|c22|i21|s20)-/.test(name)) location.replace(`ledger.html#${name}`);
  };
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", forward);
  else forward();
  addEventListener("hashchange", forward);
})();
