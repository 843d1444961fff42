// Python in a worker of its own, so that the page stays responsive. Every file comes from this site.
import { loadPyodide } from "./runtime/pyodide.mjs";

let python;
let book; // the module of Python that the settings name
const pages = new Map();

// Python waits for a package that it imports, and so does the request
const bring = (name) => {
  const request = new XMLHttpRequest();
  request.open("GET", new URL(`${name}.zip`, import.meta.url), false);
  request.responseType = "arraybuffer";
  request.send();
  if (request.status !== 200) throw new Error(`${name}.zip: ${request.status}`);
  python.unpackArchive(request.response, "zip", { extractDir: "/book" });
};

const start = async (tell) => {
  tell({ phase: "Python", part: 1, of: 3 });
  const library = fetch(new URL("lift.zip", import.meta.url)).then((answer) => {
    if (!answer.ok) throw new Error(`lift.zip: ${answer.status}`);
    return answer.arrayBuffer();
  });
  const settings = await fetch(new URL("settings.json", import.meta.url)).then((answer) => answer.json());
  python = await loadPyodide({
    indexURL: new URL("runtime/", import.meta.url).href,
    env: { HOME: "/home", MPLBACKEND: "agg", ...settings.environment },
    packages: ["numpy", "scipy", "pandas", "matplotlib"],
  });
  tell({ phase: "NumPy, SciPy, pandas and matplotlib", part: 2, of: 3 });
  python.unpackArchive(await library, "zip", { extractDir: "/book" });
  python.runPython("import sys; sys.path.insert(0, '/book'); import os; os.makedirs('/work', exist_ok=True); os.chdir('/work')");
  tell({ phase: settings.library, part: 3, of: 3 });
  python.pyimport("companion.browser.later").install(python.toPy(settings.later), bring);
  book = python.pyimport(settings.module);
  book.start();
};

// figures and their rows go to the page as files: texts of that size would hold it up
const FILES = { "image/svg+xml": "image/svg+xml", rows: "application/json" };
const light = (told) => {
  for (const output of told.outputs ?? [])
    for (const [kind, type] of Object.entries(FILES)) if (kind in output) output[kind] = new Blob([output[kind]], { type });
  return told;
};

let cancelled = false;
const turn = () => new Promise((resolve) => setTimeout(resolve)); // lets a message come in between two cells

const calls = {
  start: async (_, tell) => {
    await start(tell);
    return {};
  },
  // one set of names for each page: a page's worker serves that page alone
  run: async ({ page, ...asked }, tell) => {
    cancelled = false;
    if (!pages.has(page)) pages.set(page, book.page());
    const steps = pages.get(page).run(JSON.stringify(asked));
    let step = steps.next();
    while (!step.done) {
      tell(light(JSON.parse(step.value)));
      await turn();
      if (cancelled) return { cancelled };
      step = steps.next();
    }
    return JSON.parse(step.value);
  },
  cancel: () => {
    cancelled = true;
    return {};
  },
  yardstick: () => ({ seconds: book.yardstick() }),
};

// what else the book offers: a function of its module by this name; bytes of a reader's file go there and nowhere else
const offered = (call, { bytes, ...asked }, tell) =>
  JSON.parse(book[call](JSON.stringify(asked), (text) => tell(JSON.parse(text)), bytes && python.toPy(new Uint8Array(bytes))));

self.onmessage = async ({ data: { id, call, asked } }) => {
  try {
    const tell = (told) => self.postMessage({ id, told });
    const answer = await (call in calls ? calls[call](asked, tell) : offered(call, asked, tell));
    self.postMessage({ id, answer });
  } catch (error) {
    self.postMessage({ id, failed: String(error.message ?? error) });
  }
};
