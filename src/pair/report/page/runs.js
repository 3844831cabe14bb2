// One run: its losses, weights, divergence, conflict, accuracies, learning rate and settings over time.

const runFigures = {
  losses: figure("losses", "Losses of the objectives"),
  weights: figure("weights", "Weights of the objectives"),
  divergence: figure("divergence", "Divergence from the preference"),
  conflict: figure("conflict", "Gradient conflict: cosine of ERM with each objective"),
  accuracy: figure("accuracy", "Accuracy by environment"),
  rate: figure("rate", "Learning rate and guarded steps"),
};
const runChoice = choice("run-choice", "Run", () => updateRun());
const runWords = el("p", {class: "words", id: "run-words"});
const runSettings = el("div");
const runSection = section("run", "A run, step by step", runChoice.box, runWords,
  el("div", {class: "charts"}, ...Object.values(runFigures).map((each) => each.box)),
  el("details", {id: "run-settings"}, el("summary", {}, "Settings of this run"), runSettings));

const stateWords = {done: "done", failed: "failed", open: "running or stopped"};

function values(run, key) {
  const column = run.series[key];
  return Array.isArray(column) ? column : column === undefined ? null : run.series.step.map(() => column);
}

function phaseMarks(run, named) {
  const c = colors();
  const shapes = [];
  const annotations = [];
  run.phases.forEach((phase, i) => {
    shapes.push({type: "rect", xref: "x", yref: "paper", x0: phase.from, x1: phase.to, y0: 0, y1: 1, layer: "below",
      line: {width: 0}, fillcolor: faded(c.muted, [0.04, 0.12, 0.2][i % 3])});
    if (named) {
      annotations.push({text: phase.name, xref: "x", yref: "paper", x: (phase.from + phase.to) / 2, y: 1, yanchor:
        "bottom", showarrow: false, font: {size: 11, color: c.ink}});
    }
  });
  // Room for the names below the buttons.
  return annotations.length > 0 ? {shapes, annotations, margin: {...margins, t: 46}} : {shapes};
}

function lines(run, metrics, options = {}) {
  return metrics.filter((metric) => run.series[metric.key] !== undefined).map((metric, i) => {
    const {color, dash} = look(i);
    return {type: "scatter", mode: run.series.step.length > 1 ? "lines" : "markers", name: plain(shortLabel(metric, run)),
      x: run.series.step, y: values(run, metric.key), line: {color, dash, width: 2, ...options.line},
      marker: {color}, ...options.trace?.(metric)};
  });
}

// With the run's own names of environments, if a run is given: other runs may have others, or train where it is
// tested.
function shortLabel(metric, run) {
  return (run?.labels[metric.key] ?? metric.label).replace(/^(loss of|weight of|cosine of erm with|accuracy,|squared error,) /, "");
}

// Around the losses of objectives, in their colours: the same on held-out samples, and bands below the noise
// floors.
function aroundLosses(run, metrics) {
  const positive = metrics.flatMap((metric) => values(run, metric.key)).filter((value) => value > 0);
  const least = Math.min(...positive);
  const traces = [];
  metrics.forEach((metric, i) => {
    const name = metric.key.replace("losses.", "");
    const {color, dash} = look(i);
    const base = {type: "scatter", mode: "lines", x: run.series.step, legendgroup: name};
    const floor = values(run, `noise_floor.${name}`);
    if (floor) {
      traces.push({...base, y: floor.map((value) => Math.min(value, least)), line: {width: 0}, showlegend: false,
        hoverinfo: "skip", meta: {helper: true}}, {...base, y: floor, name: plain(`${name}, noise floor`),
        line: {color, width: 0.5}, fill: "tonexty", fillcolor: faded(color, 0.14)});
    }
    const heldOut = values(run, `held_out_losses.${name}`);
    if (heldOut) {
      traces.push({...base, mode: "lines+markers", y: heldOut, name: plain(`${name}, held out`),
        line: {color, dash, width: 1}, marker: {color, size: 4}});
    }
  });
  return traces;
}

// The metrics of a kind; for losses, only the objectives if there are any.
function metricsOf(kind) {
  const all = data.metrics.filter((metric) => metric.kind === kind);
  const objectives = all.filter((metric) => metric.key.startsWith("losses."));
  return objectives.length > 0 ? objectives : all;
}

function timeFigure(where, run, kind, y, absent, options = {}) {
  const metrics = (options.metrics ?? metricsOf(kind)).filter((metric) => run.series[metric.key] !== undefined);
  const finals = metrics.map((metric) => `${shortLabel(metric, run)} ${shown(last(run, metric), metric.kind)}`).join(", ");
  where.update(metrics.length === 0 ? () => null : () => ({
    traces: [...lines(run, metrics, options), ...(options.around?.(run, metrics) ?? [])], revision: run.name,
    layout: {height: options.height ?? 320, xaxis: axis("step"), yaxis: y(), ...phaseMarks(run, options.named)},
  }), metrics.length === 0 ? absent : `Final values: ${finals}.`);
}

// Explains the bands and the thin lines, and names the losses that end below their floor.
function lossWords(run) {
  const words = runFigures.losses.box.querySelector(".words");
  const ends = (key) => last(run, data.metrics.find((metric) => metric.key === key));
  const floors = data.metrics.filter((metric) => metric.key.startsWith("noise_floor.") && run.series[metric.key] !== undefined);
  const below = floors.map((metric) => metric.key.replace("noise_floor.", "")).filter(
    (name) => ends(`losses.${name}`) < ends(`noise_floor.${name}`));
  if (floors.length > 0) {
    words.textContent += ` Bands: below the noise floor of the loss${below.length > 0 ? `, where ${below.join(" and ")} ends` : ""}.`;
  }
  if (run.series["held_out_losses.erm"] !== undefined) {
    words.textContent += " Thin lines with points: on held-out samples of the training environments.";
  }
}

function last(run, metric) {
  return run.last[data.metrics.indexOf(metric)];
}

function updateRate(run) {
  const events = data.metrics.filter((metric) => metric.kind === "count" && run.series[metric.key] !== undefined);
  const rate = data.metrics.find((metric) => metric.kind === "rate");
  if ((!rate || run.series[rate.key] === undefined) && events.length === 0) {
    runFigures.rate.update(() => null, "These records have no learning rate.");
    return;
  }
  const totals = events.map((metric) => `${shown(last(run, metric))} ${metric.label}`).join(", ");
  runFigures.rate.update(() => {
    const traces = rate && run.series[rate.key] !== undefined ? lines(run, [rate], {line: {shape: "hv"}}) : [];
    events.forEach((metric, i) => {
      const counts = values(run, metric.key);
      traces.push({type: "bar", name: plain(metric.label), x: run.series.step, yaxis: "y2",
        y: counts.map((count, at) => count - (at > 0 ? counts[at - 1] : 0)), marker: {color: look(i + 1).color}});
    });
    return {traces, revision: run.name, layout: {barmode: "stack", xaxis: axis("step", {anchor: "y2"}),
      yaxis: logAxis("learning rate", {domain: events.length > 0 ? [0.48, 1] : [0, 1]}),
      yaxis2: axis("events", {domain: [0, 0.36], rangemode: "tozero"}), ...phaseMarks(run, false)}};
  }, totals ? `Guarded steps in total: ${totals}. Bars: number between two records shown.` : "");
}

function updateRun() {
  const run = data.runs[Number(runChoice.value)];
  if (!run || !run.series) return;
  const of = run.steps ? `step ${run.step} of ${run.steps}` : `step ${run.step}`;
  runWords.textContent = `${run.name}: ${run.algorithm} on ${run.dataset}, seed ${run.seed}; ` +
    `${stateWords[run.state]}${run.failure ? ` (${run.failure})` : ""}; ${of}, ${run.records} records` +
    (run.records > run.series.step.length ? `, ${run.series.step.length} of them drawn.` : ".");
  const unit = (title) => () => axis(title, {tickformat: ".0%"});
  timeFigure(runFigures.losses, run, "loss", () => logAxis("loss"), "These records have no losses.",
    {around: (of, metrics) => metrics.every((metric) => metric.key.startsWith("losses.")) ? aroundLosses(of, metrics) : []});
  lossWords(run);
  timeFigure(runFigures.weights, run, "weight", () => axis("weight", {rangemode: "tozero"}),
    "These records have no weights.", {named: true});
  if (run.phases.length > 0) {
    const text = run.phases.map((phase) => `${phase.name} from step ${phase.from}`).join(", ");
    const words = runFigures.weights.box.querySelector(".words");
    words.textContent += ` Phases: ${text}.`;
  }
  timeFigure(runFigures.divergence, run, "divergence", () => axis("μ", {rangemode: "tozero"}),
    "These records have no divergence.");
  timeFigure(runFigures.conflict, run, "conflict", () => axis("cosine", {range: [-1.05, 1.05]}),
    "These records have no gradient conflict.");
  const regression = !data.metrics.some((metric) => metric.kind === "accuracy" && run.series[metric.key] !== undefined);
  const isTest = (metric) => metric.key.startsWith("worst") ||
    run.test_envs.includes(Number((/^env(\d+)_/.exec(metric.key) ?? [])[1]));
  timeFigure(runFigures.accuracy, run, regression ? "error" : "accuracy",
    regression ? () => logAxis("squared error") : unit("accuracy"), "These records have no accuracies.",
    {height: 400, trace: (metric) => ({name: plain(shortLabel(metric, run).replace("-environment test accuracy", " test")
      .replace("environment ", "env. ") + (isTest(metric) && !metric.key.startsWith("worst") && !shortLabel(metric, run).includes("(test") ? ", test" : ""))})});
  updateRate(run);
  const settings = {...data.settings.common};
  data.settings.varying.forEach((name, i) => { if (run.settings[i] !== null) settings[name] = run.settings[i]; });
  runSettings.replaceChildren(table(["setting", "value"],
    Object.keys(settings).sort().map((name) => [name, shownSetting(settings[name])]), "Settings of this run"));
}

function updateRuns() {
  const options = data.runs.map((run, i) => [String(i), run]).filter(([, run]) => run.series)
    .map(([i, run]) => [i, `${run.label} (${run.algorithm}, seed ${run.seed})`]);
  const chosen = data.selections.flatMap((selection) => selection.choices.map((each) => each.run));
  runChoice.set(options, String(chosen.find((i) => i >= 0 && data.runs[i]?.series) ?? 0));
  runChoice.box.hidden = options.length < 2;
  runSection.hidden = options.length === 0;
  updateRun();
}

function showRun(i) {
  if (!data.runs[i]?.series) return;
  runChoice.value = String(i);
  document.getElementById("run-choice").dataset.touched = "1";
  updateRun();
  if (data.runs[i].evaluation) {
    modelChoice.value = String(i);
    document.getElementById("model-choice").dataset.touched = "1";
    updateModel();
  }
  runSection.scrollIntoView();
  document.getElementById("run-title").focus?.();
}
