// Common parts of the figures, which Plotly draws.

const systemDark = window.matchMedia("(prefers-color-scheme: dark)");
let theme = "system";  // or light, dark
let printing = false;

function colors() {
  const dark = !printing && (theme === "dark" || (theme === "system" && systemDark.matches));
  return page.palette[dark ? "dark" : "light"];
}

// Item i has its own colour, dash and shape.
function look(i) {
  const marks = colors().marks;
  const {dashes} = page.palette;
  return {
    color: marks[i % marks.length],
    dash: dashes[Math.floor(i / marks.length + i) % dashes.length],
    symbol: ["circle", "square", "triangle-up", "diamond", "cross", "x", "star", "triangle-down"][i % 8],
  };
}

function faded(color, opacity) {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
  return `rgba(${r},${g},${b},${opacity})`;
}

function axis(title, extra = {}) {
  const c = colors();
  return {title: {text: plain(title, 80), standoff: 6}, gridcolor: c.grid, linecolor: c.muted, zeroline: false,
    automargin: true, exponentformat: "power", ...extra};
}

function logAxis(title, extra = {}) {
  return axis(title, {type: "log", ...extra});
}

// Below the axes, by a fraction of their height.
function legendBelow(share) {
  return {orientation: "h", x: 0, y: -share, yanchor: "top", font: {size: 11}};
}

const margins = {l: 58, r: 14, t: 26, b: 44};  // the top margin holds the buttons shown on hover

function baseLayout(layout) {
  const c = colors();
  return {
    paper_bgcolor: c.background, plot_bgcolor: c.background, font: {color: c.ink, size: 12,
      family: "system-ui, sans-serif"}, margin: margins, height: 320, hovermode: "closest",
    showlegend: true, legend: legendBelow(0.22),
    hoverlabel: {namelength: 40}, modebar: {bgcolor: "rgba(0,0,0,0)", color: c.muted, activecolor: c.ink}, ...layout,
  };
}

const figures = new Map();  // by id
let queue = [];
let drawing = false;

function inView(figure) {
  const {top, bottom, height} = figure.box.getBoundingClientRect();
  return height > 0 && bottom > 0 && top < window.innerHeight;
}

// Draws one figure at a time, so that the page can be used before all are drawn: visible figures first, the
// others when the browser is idle. The root's data-ready and data-drawn say when each stage is complete.
function drawNext() {
  const {dataset} = document.documentElement;
  const seen = queue.findIndex(inView);
  if (seen >= 0) {
    queue.splice(seen, 1)[0].draw();
    setTimeout(drawNext, 0);
    return;
  }
  dataset.ready ??= String(Math.round(performance.now()));
  if (queue.length > 0) {
    whenIdle(() => {
      queue.shift().draw();
      drawNext();
    });
    return;
  }
  drawing = false;
  dataset.drawn = String(Math.round(performance.now()));
}

function whenIdle(work) {
  if (window.requestIdleCallback) requestIdleCallback(work, {timeout: 300});
  else setTimeout(work, 0);
}

function drawSoon(figure) {
  if (!queue.includes(figure)) queue.push(figure);
  delete document.documentElement.dataset.ready;
  delete document.documentElement.dataset.drawn;
  if (drawing) return;
  drawing = true;
  // The plotting library is loaded after this script.
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", drawNext, {once: true});
  else setTimeout(drawNext, 0);
}

// A figure in the page. `update(make, words)`: make() returns {traces, layout}, or null if there is nothing
// to draw; `words` describe the figure or say why it is empty.
function figure(id, title) {
  const plot = el("div", {class: "plot", id: `${id}-plot`, role: "img"});
  const words = el("p", {class: "words", id: `${id}-words`});
  const numbers = el("div");
  const details = el("details", {toggle: () => fillNumbers()}, el("summary", {}, "Numbers"), numbers);
  const box = el("figure", {id, class: "chart"}, el("figcaption", {}, title), plot, words, details);
  let make = () => null;
  let made = null;

  function fillNumbers() {
    if (details.open && made) numbers.replaceChildren(numberTable(made.traces, title));
  }

  const self = {
    box,
    update(maker, text) {
      make = maker;
      words.textContent = text;
      plot.setAttribute("aria-label", `${title}. ${text}`);
      drawSoon(self);
    },
    draw() {
      made = make();
      plot.hidden = !made || !page.plotly;
      details.hidden = !made;
      if (made && page.plotly) {
        const c = baseLayout(made.layout || {});
        Plotly.react(plot, made.traces, {...c, uirevision: made.revision || id},
          {responsive: true, displaylogo: false, toImageButtonOptions: {format: "svg", filename: id},
            modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"]});
      }
      box.dataset.points = made ? String(made.traces.filter((trace) => !trace.meta?.helper).reduce(
        (sum, trace) => sum + (trace.y ?? []).length, 0)) : "0";
      fillNumbers();
    },
  };
  figures.set(id, self);
  return self;
}

// The data of a figure as a table, for screen readers.
function numberTable(traces, title) {
  const most = 300;
  const rows = [];
  for (const trace of traces.filter((each) => !each.meta?.helper)) {
    if (trace.type === "heatmap") {
      const cells = trace.meta?.values ?? trace.z;  // a colour may stand for another number
      trace.y.forEach((y, i) => trace.x.forEach((x, j) => {
        if (isNumber(cells[i][j])) rows.push([`${x}, ${y}`, shown(cells[i][j])]);
      }));
      continue;
    }
    // Lines that are not drawn at their values, as on a radar, carry the values as text.
    const values = trace.meta?.values ?? trace.y ?? [];
    const places = trace.x ?? [];
    values.forEach((value, i) => rows.push([trace.name ?? "", trace.meta?.names?.[i] ?? shownPlace(places[i]),
      shown(value)]));
  }
  const cut = rows.slice(0, most).map((row) => row.map(unplain));
  const width = Math.max(0, ...cut.map((row) => row.length));
  const result = table(width === 3 ? ["series", "at", "value"] : ["at", "value"], cut, title);
  return rows.length > most ? el("div", {}, result, el("p", {}, `First ${most} of ${rows.length} numbers.`)) : result;
}

function shownPlace(place) {
  return isNumber(place) ? shown(place) : String(place ?? "");
}

function unplain(text) {
  return text.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&");
}

function redrawAll() {
  for (const each of figures.values()) drawSoon(each);
}
