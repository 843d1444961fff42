// liftlib/exact.py in Python, in a worker of its own. It needs the standard library alone, which starts in a few seconds.
import { loadPyodide } from "./runtime/pyodide.mjs";

const FILES = { "exact.py": "liftlib/exact.py", "steps.py": "steps.py" };
let steps;

const calls = {
  start: async () => {
    const python = await loadPyodide({ indexURL: new URL("runtime/", import.meta.url).href });
    python.FS.mkdirTree("/checker/liftlib");
    for (const [name, path] of Object.entries(FILES)) {
      const answer = await fetch(new URL(name, import.meta.url));
      if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
      python.FS.writeFile(`/checker/${path}`, await answer.text());
    }
    python.runPython("import sys; sys.path.insert(0, '/checker')");
    steps = python.pyimport("steps");
    return {};
  },
  check: (problem) => JSON.parse(steps.proof_steps(problem)),
};

self.onmessage = async ({ data: { id, call, asked } }) => {
  try {
    self.postMessage({ id, answer: await calls[call](asked) });
  } catch (error) {
    self.postMessage({ id, failed: String(error.message ?? error) });
  }
};
