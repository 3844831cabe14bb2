// Several runs: curves per method, final spread, a radar of the losses, trade-offs between two losses.

const severalFigures = {
  overlay: figure("overlay", "By method, over time"),
  spread: figure("spread", "By method, at the last record"),
  radar: figure("radar", "Final losses, each divided by the largest"),
  pareto: figure("pareto", "Trade-off between two losses"),
};
const metricChoice = choice("metric-choice", "Metric", () => updateSeveral());
const paretoX = choice("pareto-x", "Across", () => updatePareto());
const paretoY = choice("pareto-y", "Upwards", () => updatePareto());
severalFigures.pareto.box.querySelector("figcaption").after(el("div", {class: "choices"}, paretoX.box, paretoY.box));
const severalSection = section("several", "Comparison of runs", el("div", {class: "choices"}, metricChoice.box),
  el("div", {class: "charts"}, ...Object.values(severalFigures).map((each) => each.box)));

function metricByKey(key) {
  return data.metrics.find((metric) => metric.key === key);
}

function axisFor(metric, extra = {}) {
  if (metric.kind === "accuracy") return axis(metric.label, {tickformat: ".0%", ...extra});
  return metric.kind === "loss" || metric.kind === "error" ? logAxis(metric.label, extra) : axis(metric.label, extra);
}

function updateOverlay(metric) {
  const methods = data.methods.map((method, i) => [method, i]).filter(([method]) => method.curves[metric.key]);
  const ends = methods.map(([method]) => `${method.label} ${shown(method.last[metric.key].mean, metric.kind)}`);
  severalFigures.overlay.update(methods.length === 0 ? () => null : () => {
    const traces = [];
    for (const [method, i] of methods) {
      const curve = method.curves[metric.key];
      const {color, dash} = look(i);
      const group = String(i);
      if (method.runs > 1) {
        const hidden = {type: "scatter", mode: "lines", x: curve.step, line: {width: 0}, legendgroup: group,
          showlegend: false, hoverinfo: "skip", meta: {helper: true}};
        traces.push({...hidden, y: curve.low}, {...hidden, y: curve.high, fill: "tonexty", fillcolor:
          faded(color, 0.16)});
      }
      traces.push({type: "scatter", mode: curve.step.length > 1 ? "lines" : "markers", x: curve.step, y: curve.mean,
        name: plain(method.label), legendgroup: group, line: {color, dash, width: 2.2}, marker: {color}});
    }
    return {traces, revision: metric.key, layout: {xaxis: axis("step"), yaxis: axisFor(metric)}};
  }, `Mean ${metric.label} over runs; bands show the smallest and largest value. Final values: ${ends.join(", ")}.`);
}

function updateSpread(metric) {
  const at = data.metrics.indexOf(metric);
  const methods = data.methods.map((method, i) => [method, i]).filter(([method]) => method.last[metric.key]);
  const words = methods.map(([method]) => {
    const spread = method.last[metric.key];
    return `${method.label} ${shown(spread.mean, metric.kind)}` + (spread.runs > 1 ?
      ` ± ${shown(spread.deviation, metric.kind)} (${spread.runs} runs, ${method.seeds} ${method.seeds === 1 ? "seed" : "seeds"})` : "");
  });
  severalFigures.spread.update(methods.length === 0 ? () => null : () => ({
    revision: metric.key,
    traces: methods.map(([method, i], place) => {
      const runs = data.runs.filter((run) => run.method === i && isNumber(run.last[at]));
      const {color, symbol} = look(i);
      return {type: "box", name: plain(method.label), x0: place, y: runs.map((run) => run.last[at]), boxpoints: "all",
        boxmean: "sd", jitter: 0.5, pointpos: 0, marker: {color, symbol, size: 5, opacity: 0.7}, line: {color, width: 1.2},
        fillcolor: faded(color, 0.12), text: runs.map((run) => plain(`${run.label}, seed ${run.seed}`)),
        hovertemplate: "%{y}<br>%{text}<extra></extra>", meta: {names: runs.map((run) => run.name)}};
    }),
    layout: {showlegend: false, yaxis: axisFor(metric), xaxis: axis("", {type: "linear", showgrid: false,
      tickvals: methods.map((_, place) => place), ticktext: distinct(methods.map(([method]) => method.label), 24)})},
  }), `Each point is a run; the dashed line and diamond are mean and standard deviation: ${words.join("; ")}.`);
}

// The position of a fraction of the rim on a spoke. The first spoke points upwards; the others follow
// clockwise.
function onSpoke(spoke, spokes, share) {
  const angle = 2 * Math.PI * spoke / spokes;
  return {x: share === null ? null : share * Math.sin(angle), y: share === null ? null : share * Math.cos(angle)};
}

// Spokes and rings below the lines. The Plotly bundle with polar plots is three times as large and takes a
// second longer to load, so a radar is drawn on plain axes.
function radarFrame(names) {
  const c = colors();
  const rings = [0.25, 0.5, 0.75, 1];
  const hidden = {visible: false, fixedrange: true};
  const spokes = names.map((name, i) => ({name, rim: onSpoke(i, names.length, 1)}));
  return {
    xaxis: {...hidden, range: [-1.6, 1.6]}, yaxis: {...hidden, range: [-1.2, 1.2], scaleanchor: "x"},
    shapes: [
      ...rings.map((ring) => ({type: "circle", x0: -ring, x1: ring, y0: -ring, y1: ring, layer: "below",
        line: {color: ring === 1 ? c.muted : c.grid, width: 1}})),
      ...spokes.map(({rim}) => ({type: "line", x0: 0, y0: 0, x1: rim.x, y1: rim.y, layer: "below",
        line: {color: c.grid, width: 1}})),
    ],
    annotations: [
      ...spokes.map(({name, rim}) => ({text: name, x: 1.06 * rim.x, y: 1.06 * rim.y, showarrow: false,
        xanchor: Math.abs(rim.x) < 0.01 ? "center" : rim.x > 0 ? "left" : "right",
        yanchor: Math.abs(rim.y) < 0.01 ? "middle" : rim.y > 0 ? "bottom" : "top"})),
      ...rings.map((ring) => ({text: String(ring), x: 0, y: ring, xanchor: "left", yanchor: "top", showarrow: false,
        font: {size: 10, color: c.muted}})),
    ],
  };
}

// One outline per method, or per run if there is one method with few runs.
function updateRadar() {
  const metrics = metricsOf("loss").filter((metric) => data.methods.some((method) => method.last[metric.key]));
  const single = data.methods.length === 1 && data.runs.length <= 8;
  const series = single ?
    data.runs.map((run) => ({label: `${run.label}, seed ${run.seed}`, of: (metric) => last(run, metric)})) :
    data.methods.map((method) => ({label: method.label, of: (metric) => method.last[metric.key]?.mean}));
  const most = metrics.map((metric) => Math.max(...series.map((each) => Math.abs(each.of(metric) ?? 0))));
  if (metrics.length < 2 || series.length < 2) {
    severalFigures.radar.update(() => null, "A radar needs at least two losses, and two methods or runs.");
    return;
  }
  const names = metrics.map((metric) => plain(shortLabel(metric), 24));
  severalFigures.radar.update(() => ({
    traces: series.map((each, i) => {
      const {color, dash, symbol} = look(i);
      const shares = metrics.map((metric, k) => isNumber(each.of(metric)) && most[k] > 0 ?
        Math.abs(each.of(metric)) / most[k] : null);
      const corners = [...shares, shares[0]].map((share, k) => onSpoke(k, names.length, share));
      return {type: "scatter", mode: "lines+markers", name: plain(each.label), x: corners.map((corner) => corner.x),
        y: corners.map((corner) => corner.y), line: {color, dash}, marker: {color, symbol, size: 6}, fill: "toself",
        fillcolor: faded(color, 0.08), hoveron: "points", meta: {names, values: shares},
        text: [...metrics, metrics[0]].map((metric) => `${plain(shortLabel(metric), 24)}: ${shown(each.of(metric))}`),
        hovertemplate: "%{text}<extra></extra>"};
    }),
    layout: {height: 380, margin: {l: 20, r: 20, t: 30, b: 40}, dragmode: false, legend: legendBelow(0.04),
      ...radarFrame(names)},
  }), `${single ? "Last records" : "Means of the last records"}; 1 is the largest: ` +
    metrics.map((metric, k) => `${shortLabel(metric)} ${shown(most[k])}`).join(", ") + ".");
}

// The Pareto front from left to right: the points that no other point equals or beats in both losses.
function nonDominated(points) {
  const front = [];
  for (const point of [...points].sort((a, b) => a.x - b.x || a.y - b.y)) {
    const lowest = front.length > 0 ? front[front.length - 1] : null;
    if (!lowest || point.y < lowest.y || (point.y === lowest.y && point.x === lowest.x)) front.push(point);
  }
  return front;
}

function updatePareto() {
  const x = metricByKey(paretoX.value);
  const y = metricByKey(paretoY.value);
  if (!x || !y) {
    severalFigures.pareto.update(() => null, "A trade-off needs at least two losses.");
    return;
  }
  const points = data.runs.map((run) => ({run, x: last(run, x), y: last(run, y)}))
    .filter((point) => isNumber(point.x) && isNumber(point.y));
  const datasets = [...new Set(points.map((point) => point.run.dataset))];
  const fronts = datasets.map((dataset) => nonDominated(points.filter((point) => point.run.dataset === dataset)));
  // In turn, so that the words below name a run of each dataset.
  const longest = Math.max(0, ...fronts.map((each) => each.length));
  const front = Array.from({length: longest}, (_, i) => fronts.flatMap((each) => each.slice(i, i + 1))).flat();
  const labels = front.slice(0, Math.max(5, datasets.length)).map((point) => point.run.label).join(", ");
  severalFigures.pareto.update(points.length === 0 ? () => null : () => {
    const traces = data.methods.map((method, i) => {
      const own = points.filter((point) => point.run.method === i);
      const {color, symbol} = look(i);
      return {type: "scatter", mode: "markers", name: plain(method.label), x: own.map((point) => point.x),
        y: own.map((point) => point.y), marker: {color, symbol, size: 8, opacity: 0.8},
        text: own.map((point) => plain(`${point.run.label}, seed ${point.run.seed}`)),
        hovertemplate: "%{text}<br>%{x}, %{y}<extra></extra>", meta: {names: own.map((point) => point.run.name)}};
    });
    fronts.forEach((each, i) => traces.push({type: "scatter", mode: "lines+markers", name: "not dominated",
      legendgroup: "front", showlegend: i === 0, x: each.map((point) => point.x), y: each.map((point) => point.y),
      line: {color: colors().ink, width: 1.2, shape: "hv"}, hoverinfo: "skip", meta: {helper: true},
      marker: {symbol: "circle-open", size: 13, color: colors().ink, line: {width: 1.5}}}));
    return {traces, revision: `${x.key} ${y.key}`, layout: {xaxis: logAxis(x.label), yaxis: logAxis(y.label)}};
  }, `Last records; lower is better in both. ${front.length} of ${points.length} runs are not dominated` +
    `${datasets.length > 1 ? " by a run on the same dataset" : ""}: ${labels}` +
    (front.length > 5 ? " and others." : "."));
}

function updateSeveral() {
  severalSection.hidden = data.runs.length < 2;
  if (severalSection.hidden) return;
  const curved = data.metrics.filter((metric) => data.methods.some((method) => method.curves[metric.key]));
  metricChoice.set(curved.map((metric) => [metric.key, metric.label]), data.headline);
  const metric = metricByKey(metricChoice.value);
  if (metric) {
    updateOverlay(metric);
    updateSpread(metric);
  }
  updateRadar();
  const losses = metricsOf("loss").map((each) => [each.key, each.label]);
  paretoX.set(losses, losses[0]?.[0]);
  paretoY.set(losses, losses[1]?.[0]);
  updatePareto();
}
