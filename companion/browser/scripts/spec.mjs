// What a figure's rows are in the grammar of Vega-Lite, and as CSV; nothing here touches the page.
const NUMBERS = { Infinity, "-Infinity": -Infinity };
const number = (value) => (typeof value === "string" && value in NUMBERS ? NUMBERS[value] : value);

// a panel's rows as objects, numbers as numbers
export const rowsOf = (panel) =>
  panel.rows.map((row) => Object.fromEntries(panel.columns.map((name, at) => [name, number(row[at])])));

// whether a series is chosen: each thing that is said of it is
export const isChosen = (series, chosen) =>
  Object.entries(series.facets).every(([facet, value]) => chosen[facet]?.has(value) ?? true);

export const kept = (panel, data, { chosen, from, to }) => {
  const names = new Set(data.series.filter((one) => isChosen(one, chosen)).map((one) => one.name));
  return rowsOf(panel).filter((row) => names.has(row.series) && row[panel.x] >= from && row[panel.x] <= to);
};

export const rounded = (value) => {
  if (value === null || value === undefined) return "";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  return Math.abs(value) < 1e-12 ? "0" : String(Number(value.toPrecision(4))).replace("-", "−");
};

// a value with the quantiles of its trials
export const said = (row) =>
  row.n > 1 && row.low !== undefined && row.low !== null ? `${rounded(row.mean)} (${rounded(row.low)} to ${rounded(row.high)})` : rounded(row.mean);

const quoted = (value) => {
  const text = value === null || value === undefined ? "" : value === Infinity ? "inf" : value === -Infinity ? "-inf" : String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const csv = (data, source) => {
  const columns = [...new Set(data.panels.flatMap((panel) => panel.columns))];
  const lines = [["rows", "panel", "measure", ...columns]];
  for (const panel of data.panels)
    for (const row of rowsOf(panel)) lines.push([source, panel.title, panel.measure, ...columns.map((name) => row[name])]);
  return lines.map((line) => line.map(quoted).join(",")).join("\n") + "\n";
};

// one line a value of the abscissa, with what each series is there
const across = (panel, data, rows) => {
  const places = new Map();
  for (const row of rows) {
    const x = row[panel.x];
    if (!places.has(x)) places.set(x, { x });
    places.get(x)[`s${data.series.findIndex((one) => one.name === row.series)}`] = said(row);
  }
  return [...places.values()];
};

const scaled = (panel, fit) => {
  if (panel.y_log) return { type: "log", nice: false, ...(fit ? {} : { domain: panel.y_limits }) };
  return fit ? { zero: false, nice: true } : { zero: false, nice: false, domain: panel.y_limits };
};

// what is said there is put together by `told`: Vega-Lite reads texts of the nearest place from the wrong object
const pointed = { tooltip: { field: "x", type: "quantitative" } };

// lines of a name and a value for the place that is pointed at
export const told = (panel, data, datum) => {
  const here = [panel.x_label, rounded(datum.x)];
  if (panel.at) return [[datum.series, ""], ["ε", rounded(datum.at)], here, [panel.y_label, datum.text]];
  return [here, ...data.series.flatMap((one, at) => (`s${at}` in datum ? [[one.name, datum[`s${at}`]]] : []))];
};

// what a screen reader says of a panel
export const spoken = (panel, data, state) => {
  const names = data.series.filter((one) => isChosen(one, state.chosen)).map((one) => one.name);
  return `${panel.title}: ${panel.y_label} against ${panel.x_label}, of ${names.join("; ") || "nothing"}. The table below has the values.`;
};

export const spec = (panel, data, state) => {
  const rows = kept(panel, data, state).filter((row) => (!panel.y_log || row.mean > 0) && row.mean !== null);
  const points = rows.map((row) => ({
    series: row.series,
    x: row[panel.x],
    at: panel.at ? row[panel.at] : row[panel.x],
    mean: Number.isFinite(row.mean) ? row.mean : null,
    band: panel.spread && row.n > 1 && Number.isFinite(row.low) && Number.isFinite(row.high),
    low: row.low,
    high: row.high,
    text: said(row),
  }));
  const names = data.series.filter((one) => points.some((row) => row.series === one.name));
  const look = (field) => ({
    field: "series",
    scale: { domain: names.map((one) => one.name), range: names.map((one) => (field === "colour" ? one.colour : one.dash)) },
    legend: null,
  });
  const x = { field: "x", type: "quantitative", title: panel.x_label, scale: { type: panel.x_log ? "log" : "linear", zero: false, nice: false } };
  const y = { type: "quantitative", title: panel.title.includes(panel.y_label) ? null : panel.y_label, scale: scaled(panel, state.fit) };
  const order = { field: "at", type: "quantitative" };
  const band = points.filter((row) => row.band);
  const infinite = points.filter((row) => row.mean === null); // open triangles on the upper edge, as in the picture
  const layer = [
    ...(band.length
      ? [{ data: { values: band }, mark: { type: "area", opacity: 0.12, clip: true }, encoding: { x, y: { ...y, field: "low" }, y2: { field: "high" }, color: look("colour") } }]
      : []),
    ...panel.lines.map((line) => ({
      data: { values: line.points.map(([one, other]) => ({ x: one, mean: other })) },
      mark: { type: "line", color: "#737373", strokeWidth: 1, clip: true },
      encoding: { x, y: { ...y, field: "mean" } },
    })),
    {
      mark: { type: "line", strokeWidth: 2, clip: true },
      encoding: { x, y: { ...y, field: "mean" }, color: look("colour"), strokeDash: look("dash"), order },
      params: [{ name: "zoom", select: { type: "interval", zoom: "wheel![event.ctrlKey || event.metaKey]" }, bind: "scales" }],
    },
    {
      mark: { type: "point", filled: true, size: panel.at ? 70 : 22, opacity: 1, clip: true },
      encoding: { x, y: { ...y, field: "mean" }, color: look("colour"), ...(panel.at ? pointed : {}) },
    },
    ...(infinite.length
      ? [{ data: { values: infinite }, mark: { type: "point", shape: "triangle-up", filled: false, size: 50, opacity: 1 }, encoding: { x, y: { value: 5 }, color: look("colour") } }]
      : []),
  ];
  if (!panel.at)
    layer.push({
      data: { values: across(panel, data, rows) },
      mark: { type: "rule", color: "#737373", strokeWidth: 1 },
      encoding: {
        x,
        opacity: { condition: { param: "hover", empty: false, value: 0.7 }, value: 0 },
        ...pointed,
      },
      params: [{ name: "hover", select: { type: "point", fields: ["x"], nearest: true, on: "pointerover", clear: "pointerout" } }],
    });
  return {
    title: { text: panel.title, anchor: "start", fontSize: 13, fontWeight: "normal" },
    width: "container",
    height: 230,
    background: "transparent",
    autosize: { type: "fit", contains: "padding" },
    data: { values: points },
    layer,
    config: { axis: { gridColor: "#e0e0e0", labelColor: "#000", titleColor: "#000", labelFontSize: 11, titleFontSize: 11, titleFontWeight: "normal" }, view: { stroke: null } },
  };
};
