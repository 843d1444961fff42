// node release_in_page.mjs ALIVE ROOT CASES: the page's answers on tables, in the page's
// Python with the project's code in ROOT, one line of JSON a table
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [alive, root, cases] = process.argv.slice(2).map((path) => resolve(path));
const runtime = join(alive, "runtime");
const bytes = (path) => new Uint8Array(readFileSync(path));
const { environment, later } = JSON.parse(readFileSync(join(alive, "settings.json"), "utf8"));
const { loadPyodide } = await import(pathToFileURL(join(runtime, "pyodide.mjs")));
const python = await loadPyodide({
  indexURL: `${runtime}/`,
  env: { HOME: "/home", MPLBACKEND: "agg", PYTHONDONTWRITEBYTECODE: "1", ...environment },
});
const place = python.runPython("import sysconfig; sysconfig.get_path('purelib')");
const { packages } = JSON.parse(readFileSync(join(runtime, "pyodide-lock.json"), "utf8"));
for (const { file_name } of Object.values(packages))
  python.unpackArchive(bytes(join(runtime, file_name)), "wheel", { extractDir: place });
// the page's archive has what it packs beside the project's code, which is then ROOT's
for (const name of ["lift", ...later])
  python.unpackArchive(bytes(join(alive, `${name}.zip`)), "zip", { extractDir: "/book" });
python.FS.mkdir("/lift");
python.FS.mount(python.FS.filesystems.NODEFS, { root }, "/lift");
python.runPython(`
import json, os, sys
from pathlib import Path
sys.path[:0] = ["/lift", "/book"]
os.environ["XDG_STATE_HOME"] = "/state"
Path("/state/lift").mkdir(parents=True)
Path("/state/lift/noise.PRIVATE.key").write_bytes(bytes(32))
from liftbook.alive import calls
calls.fill_in()

def answer(case):
    text, asked = json.loads(case)
    calls.open_table(json.dumps({"name": "t.csv"}), None, text.encode())
    asked = json.dumps(asked)
    return json.dumps([json.loads(call(asked, None, None)) for call in (calls.audit, calls.release)])
`);
const answer = python.globals.get("answer");
for (const one of JSON.parse(readFileSync(cases, "utf8"))) {
  const started = performance.now();
  const told = answer(JSON.stringify(one));
  process.stdout.write(`{"seconds": ${(performance.now() - started) / 1000}, "told": ${told}}\n`);
}
