// node release_in_page.mjs ALIVE ROOT CASES: the page's answers on tables, in the page's Python, as JSON
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [alive, root, cases] = process.argv.slice(2).map((path) => resolve(path));
const runtime = join(alive, "runtime");
const bytes = (path) => new Uint8Array(readFileSync(path));
const { loadPyodide } = await import(pathToFileURL(join(runtime, "pyodide.mjs")));
const python = await loadPyodide({ indexURL: `${runtime}/`, env: { HOME: "/home", MPLBACKEND: "agg", LIFT_JOBS: "1" } });
const place = python.runPython("import sysconfig; sysconfig.get_path('purelib')");
const { packages } = JSON.parse(readFileSync(join(runtime, "pyodide-lock.json"), "utf8"));
for (const { file_name } of Object.values(packages)) {
  python.unpackArchive(bytes(join(runtime, file_name)), "wheel", { extractDir: place });
}
for (const name of ["jinja2", "markupsafe", "narwhals"]) {
  python.unpackArchive(bytes(join(alive, `${name}.zip`)), "zip", { extractDir: place });
}
python.FS.mkdir("/lift");
python.FS.mount(python.FS.filesystems.NODEFS, { root }, "/lift");
python.globals.set("CASES", readFileSync(cases, "utf8"));
const answers = python.runPython(`
import json, os, sys
from pathlib import Path
sys.path.insert(0, "/lift")
sys.dont_write_bytecode = True
os.environ["XDG_STATE_HOME"] = "/state"
Path("/state/lift").mkdir(parents=True)
Path("/state/lift/noise.PRIVATE.key").write_bytes(bytes(32))
from liftbook.alive import calls
calls.fill_in()
answers = []
for case in json.loads(CASES):
    opened = calls.open_table(json.dumps({"name": "t.csv"}), None, case["text"].encode())
    answers.append(json.loads(calls.release(json.dumps(case["asked"]), print, None)))
json.dumps(answers)
`);
process.stdout.write(answers);
