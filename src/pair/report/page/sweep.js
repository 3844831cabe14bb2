// A sweep: a heat map over two settings, the choices of the criteria, progress.

const heatFigure = figure("heat", "A metric over two settings");
const heatMetric = choice("heat-metric", "Metric", () => updateHeat());
const heatDataset = choice("heat-dataset", "Dataset", () => updateHeatChoices());
const heatX = choice("heat-x", "Across", () => updateHeat());
const heatY = choice("heat-y", "Upwards", () => updateHeat());
heatFigure.box.querySelector("figcaption").after(el("div", {class: "choices"}, heatDataset.box, heatMetric.box, heatX.box, heatY.box));
const selectionBox = el("div", {id: "selections"});
const progressBox = el("div", {id: "progress"});
const sweepSection = section("sweep", "The sweep", progressBox, heatFigure.box);
const selectionSection = section("selection", "Selection: the choice of each criterion, with reasons", selectionBox);

// The runs of the chosen dataset: a mean over several says nothing.
function heatRuns() {
  return data.runs.filter((run) => run.dataset === heatDataset.value);
}

// The values that some run has.
function valuesOf(dimension, runs) {
  return [...new Set(runs.map(dimension.of).filter((text) => text !== null))];
}

// The dimensions of a heat map: settings that vary, first those that all runs have, and a few properties that are not
// settings.
function dimensions(runs) {
  const settings = data.settings.varying.map((name, i) => ({key: `s${i}`, label: name,
    of: (run) => run.settings[i] === null ? null : shownSetting(run.settings[i]), number:
      (run) => settingNumber(run.settings[i])}));
  const inAll = (dimension) => runs.every((run) => dimension.of(run) !== null);
  const all = [...settings.filter(inAll), ...settings.filter((dimension) => !inAll(dimension))];
  for (const [key, label, of] of [["algorithm", "algorithm", (run) => run.algorithm],
    ["seed", "seed", (run) => String(run.seed)], ["draw", "draw of settings", (run) => String(run.draw)]]) {
    all.push({key, label, of, number: (run) => settingNumber(of(run))});
  }
  return all.filter((dimension) => valuesOf(dimension, runs).length > 1);
}

// The rows or columns: one per value, or ranges if there are too many values.
function cells(dimension, runs) {
  const most = 16;
  const texts = valuesOf(dimension, runs);
  const numbers = runs.map(dimension.number).filter(isNumber);
  if (texts.length > most && numbers.length > 0) {
    const low = numbers.reduce((a, b) => Math.min(a, b));
    const high = numbers.reduce((a, b) => Math.max(a, b));
    const logarithmic = low > 0 && high / low > 50;
    const to = logarithmic ? Math.log : (x) => x;
    const from = logarithmic ? Math.exp : (x) => x;
    const count = 10;
    const edge = (i) => from(to(low) + (to(high) - to(low)) * i / count);
    return {labels: Array.from({length: count}, (_, i) => `${shown(+edge(i).toPrecision(2))} to ${shown(+edge(i + 1).toPrecision(2))}`),
      place: (run) => {
        const value = dimension.number(run);
        return isNumber(value) ? Math.min(count - 1, Math.floor(count * (to(value) - to(low)) / (to(high) - to(low)))) : -1;
      }};
  }
  const value = new Map(runs.map((run) => [dimension.of(run), dimension.number(run)]));
  texts.sort((a, b) => isNumber(value.get(a)) && isNumber(value.get(b)) ? value.get(a) - value.get(b) : a < b ? -1 : 1);
  const shownTexts = texts.slice(0, 40);
  const places = new Map(shownTexts.map((text, i) => [text, i]));
  return {labels: shownTexts, place: (run) => places.get(dimension.of(run)) ?? -1};
}

// Enough decimals for about twenty ticks that differ.
function percentTicks(values) {
  const range = Math.max(...values) - Math.min(...values);
  const decimals = range > 0 ? Math.ceil(-Math.log10(range / 20) - 1e-9) - 2 : 0;
  return `.${Math.min(4, Math.max(0, decimals))}%`;
}

function updateHeat() {
  const runs = heatRuns();
  const all = dimensions(runs);
  const x = all.find((dimension) => dimension.key === heatX.value);
  const y = all.find((dimension) => dimension.key === heatY.value);
  const metric = metricByKey(heatMetric.value);
  if (!x || !y || !metric || x === y) {
    heatFigure.update(() => null, x && x === y ? "Choose two different settings." : "Fewer than two settings vary.");
    return;
  }
  const at = data.metrics.indexOf(metric);
  const columns = cells(x, runs);
  const rows = cells(y, runs);
  const sums = rows.labels.map(() => columns.labels.map(() => [0, 0]));
  for (const run of runs) {
    const [i, j] = [rows.place(run), columns.place(run)];
    if (i >= 0 && j >= 0 && isNumber(run.last[at])) {
      sums[i][j][0] += run.last[at];
      sums[i][j][1] += 1;
    }
  }
  const z = sums.map((row) => row.map(([sum, count]) => count > 0 ? sum / count : null));
  const flat = z.flat().filter(isNumber);
  let best = null;
  z.forEach((row, i) => row.forEach((value, j) => {
    if (isNumber(value) && metric.better && (!best || (metric.better === "high" ? value > best.value : value < best.value))) {
      best = {value, at: `${x.label} ${columns.labels[j]}, ${y.label} ${rows.labels[i]}`};
    }
  }));
  const small = rows.labels.length * columns.labels.length <= 150;
  heatFigure.update(flat.length === 0 ? () => null : () => ({
    revision: `${heatDataset.value} ${metric.key} ${x.key} ${y.key}`,
    traces: [{type: "heatmap", x: columns.labels.map((label) => plain(label, 28)), y: rows.labels.map((label) => plain(label, 28)),
      z, colorscale: page.palette.scale, xgap: 1, ygap: 1, hoverongaps: false,
      text: z.map((row) => row.map((value) => isNumber(value) ? shown(value, metric.kind) : "")),
      texttemplate: small ? "%{text}" : "", customdata: sums.map((row) => row.map(([, count]) => count)),
      hovertemplate: "%{x}, %{y}<br>%{text}, runs: %{customdata}<extra></extra>",
      colorbar: {thickness: 14, tickformat: metric.kind === "accuracy" ? percentTicks(flat) : ""}}],
    // Above the map: beside the colour bar, a long title would be cut.
    layout: {height: Math.min(640, 200 + 30 * rows.labels.length), showlegend: false, margin: {...margins, t: 56},
      title: {text: plain(metric.label, 60), font: {size: 12}, x: 0, xref: "paper", xanchor: "left", y: 1, yref: "paper",
        yanchor: "bottom", pad: {b: 8}},
      xaxis: axis(x.label, {type: "category", showgrid: false}), yaxis: axis(y.label, {type: "category", showgrid: false})},
  }), `Mean over the runs of a cell, at their last records. ` + (best ? `Best: ${shown(best.value, metric.kind)} at ${best.at}.` : ""));
}

function runButton(i) {
  const run = data.runs[i];
  if (!run) return "not in this page";
  return run.series ? el("button", {type: "button", class: "link", title: run.name, click: () => showRun(i)}, run.label) : run.label;
}

function updateSelection() {
  const open = new Set([...selectionBox.querySelectorAll("details[open]")].map((each) => each.dataset.title));
  selectionSection.hidden = data.selections.every((each) => each.choices.length === 0 && each.notes.length === 0);
  selectionBox.replaceChildren(...data.selections.map((selection, index) => {
    const headings = ["dataset", "algorithm", "trial", "test env.", "run", "step", "validation", "test accuracy", "why"];
    const rows = selection.choices.map((each) => [each.dataset, each.algorithm, String(each.trial), each.test.join(", "),
      runButton(each.run), String(each.step), shown(each.validation, "accuracy"),
      each.tests.map((value) => shown(value, "accuracy")).join(", "),
      each.why + (isNumber(each.score) ? ` (score ${shown(each.score)})` : "")]);
    const count = selection.choices.length + selection.choices_left_out;
    return el("details", {"data-title": selection.title, open: open.has(selection.title) || (open.size === 0 && index === 0)},
      el("summary", {}, `${selection.title}: ${count} ${count === 1 ? "choice" : "choices"}`),
      rows.length > 0 ? table(headings, rows, `Chosen by ${selection.title}`) : null,
      selection.choices_left_out > 0 ? el("p", {}, `${selection.choices_left_out} more choices: pair select lists them.`) : null,
      ...selection.notes.map((note) => el("p", {class: "words"}, note)));
  }));
}

function updateProgress() {
  const {runs, done, failed, open, records} = data.progress;
  const unfinished = data.runs.filter((run) => run.state !== "done");
  progressBox.replaceChildren(
    el("p", {}, `${done} of ${runs} runs finished, ${failed} failed, ${open} running or stopped; ${records} records. `,
      el("progress", {max: Math.max(1, runs), value: done, "aria-label": "runs done"})),
    unfinished.length > 0 ? el("details", {}, el("summary", {}, "Unfinished runs"),
      table(["run", "state", "step", "reason"], unfinished.slice(0, 300).map((run) => [run.name, stateWords[run.state],
        run.steps ? `${run.step} of ${run.steps}` : String(run.step ?? "–"), run.failure]), "Unfinished runs")) : "");
}

function updateSweep() {
  sweepSection.hidden = data.runs.length < 2;
  updateSelection();
  updateProgress();
  if (sweepSection.hidden) return;
  const count = new Map();
  for (const run of data.runs) count.set(run.dataset, (count.get(run.dataset) ?? 0) + 1);
  const datasets = [...count.keys()].sort();
  heatDataset.set(datasets.map((name) => [name, name]), datasets.reduce((a, b) => count.get(b) > count.get(a) ? b : a));
  heatDataset.box.hidden = datasets.length < 2;
  updateHeatChoices();
}

function updateHeatChoices() {
  const runs = heatRuns();
  const metrics = data.metrics.filter((metric, i) => runs.some((run) => isNumber(run.last[i])));
  const usualMetric = [data.headline, "worst_test_mse"].find((key) => metrics.some((metric) => metric.key === key));
  heatMetric.set(metrics.map((metric) => [metric.key, metric.label]), usualMetric);
  const options = dimensions(runs).map((dimension) => [dimension.key, dimension.label]);
  const settings = options.filter(([key]) => key.startsWith("s") && key !== "seed");
  const usual = [...settings, ...options.filter((option) => !settings.includes(option))];
  heatX.set(options, usual[0]?.[0]);
  heatY.set(options, usual[1]?.[0]);
  if (heatX.value === heatY.value) {
    heatY.value = usual.find(([key]) => key !== heatX.value)?.[0] ?? heatY.value;
  }
  updateHeat();
}
