// The rows of claims stand on the ledger alone; an old address of a row, on a paper's page, leads there.
(() => {
  const forward = () => {
    const name = decodeURIComponent(location.hash.slice(1));
    const onPaper = /\/record-\w+\.html$/.test(location.pathname);
    if (!onPaper || !/^(e23|c22|i21|s20)-/.test(name) || document.getElementById(name)) return;
    location.replace(`ledger.html${location.hash}`);
  };
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", forward);
  else forward();
  addEventListener("hashchange", forward);
})();
