// Python in a worker of its own, so that the page stays responsive. Every file comes from this site.
import { loadPyodide } from "./runtime/pyodide.mjs";

let python;
let desk;
let judging;
const pages = new Map();

const start = async (tell) => {
  tell({ phase: "Python", part: 1, of: 3 });
  const library = fetch(new URL("lift.zip", import.meta.url)).then((answer) => {
    if (!answer.ok) throw new Error(`lift.zip: ${answer.status}`);
    return answer.arrayBuffer();
  });
  python = await loadPyodide({
    indexURL: new URL("runtime/", import.meta.url).href,
    env: { HOME: "/home", MPLBACKEND: "agg", LIFT_JOBS: "1" },
    packages: ["numpy", "scipy", "pandas", "matplotlib"],
  });
  tell({ phase: "NumPy, SciPy, pandas and matplotlib", part: 2, of: 3 });
  python.unpackArchive(await library, "zip", { extractDir: "/lift" });
  python.runPython("import sys; sys.path.insert(0, '/lift'); import os; os.makedirs('/work', exist_ok=True); os.chdir('/work')");
  tell({ phase: "liftlib", part: 3, of: 3 });
  python.runPython("from liftbook.alive.standins import fill_in; fill_in(); from liftbook.alive import session; import companion.outputs.stacking, liftlib, liftbook.relatives, liftbook.figures, liftbook.plots");
};

// figures and their rows go to the page as files: texts of that size would hold it up
const FILES = { "image/svg+xml": "image/svg+xml", rows: "application/json" };
const light = (told) => {
  for (const output of told.outputs ?? [])
    for (const [kind, type] of Object.entries(FILES)) if (kind in output) output[kind] = new Blob([output[kind]], { type });
  return told;
};

const calls = {
  start: async (_, tell) => {
    await start(tell);
    return {};
  },
  // one set of names for each page; a page's worker serves that page alone, explanations of it have their own names
  run: ({ page, ...asked }, tell) => {
    if (!pages.has(page)) pages.set(page, python.runPython("session.Page()"));
    return JSON.parse(pages.get(page).run(JSON.stringify(asked), (text) => tell(light(JSON.parse(text)))));
  },
  answer: ({ page, ...asked }) => JSON.parse(pages.get(page).answer(JSON.stringify(asked))),
  judge: (asked, tell) => {
    judging ??= python.pyimport("liftbook.alive.judging");
    return JSON.parse(judging.again(JSON.stringify(asked), (text) => tell(JSON.parse(text))));
  },
  // the file's bytes come from the page and go nowhere else
  open: ({ bytes, name }) => {
    desk ??= python.runPython("from liftbook.alive.table import Desk; Desk()");
    return JSON.parse(desk.opened(python.toPy(new Uint8Array(bytes)), name));
  },
  audit: (asked) => JSON.parse(desk.audit(JSON.stringify(asked))),
  attempt: (asked) => JSON.parse(desk.attempt(JSON.stringify(asked))),
  serving: (asked) => JSON.parse(desk.serving(JSON.stringify(asked))),
  release: (asked) => JSON.parse(desk.release(JSON.stringify(asked))),
  yardstick: () => ({ seconds: python.runPython("session.yardstick()") }),
};

self.onmessage = async ({ data: { id, call, asked } }) => {
  try {
    const answer = await calls[call](asked, (told) => self.postMessage({ id, told }));
    self.postMessage({ id, answer });
  } catch (error) {
    self.postMessage({ id, failed: String(error.message ?? error) });
  }
};
