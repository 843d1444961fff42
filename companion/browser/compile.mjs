// node compile.mjs RUNTIME CODE.PY IN OUT CALL: evaluate a call of a Python file, such as compiling.py, in Pyodide, with two folders as /in and /out
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [runtime, code, source, target, call] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(resolve(runtime, "pyodide.mjs")));
const python = await loadPyodide({ indexURL: `${resolve(runtime)}/` });
for (const [place, root] of [["/in", source], ["/out", target]]) {
  python.FS.mkdir(place);
  python.FS.mount(python.FS.filesystems.NODEFS, { root: resolve(root) }, place);
}
python.runPython(readFileSync(code, "utf8"));
python.runPython(call);
