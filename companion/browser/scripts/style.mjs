// The styles of what is alive on a page, loaded with the first of it.
let asked = false;
export const styled = () => {
  if (asked) return;
  asked = true;
  const sheet = document.createElement("link");
  sheet.rel = "stylesheet";
  sheet.href = new URL("alive.css", import.meta.url);
  document.head.append(sheet);
};
