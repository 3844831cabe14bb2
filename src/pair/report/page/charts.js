// Figures: Plotly draws them; here is what all of them share.

const systemDark = window.matchMedia("(prefers-color-scheme: dark)");
let theme = "system";  // or light, dark
let printing = false;

function colors() {
  const dark = !printing && (theme === "dark" || (theme === "system" && systemDark.matches));
  return page.palette[dark ? "dark" : "light"];
}

// The i-th of several things differs in colour, dash and shape.
function look(i) {
  const marks = colors().marks;
  return {
    color: marks[i % marks.length],
    dash: ["solid", "dash", "dot", "dashdot"][Math.floor(i / marks.length + i) % 4],
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

// Below the axes, by a share of their height.
function legendBelow(share) {
  return {orientation: "h", x: 0, y: -share, yanchor: "top", font: {size: 11}};
}

const margins = {l: 58, r: 14, t: 26, b: 44};  // above: the buttons that come where the pointer is

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

// One figure after another, so that the page can be used before all are there: first those that the reader sees,
// the others while the browser has nothing else to do. The root's data-ready and data-drawn say when each was done.
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
  // The plotting library comes after this script.
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", drawNext, {once: true});
  else setTimeout(drawNext, 0);
}

// A figure in the page. `update(make, words)`: make() gives {traces, layout}, or null where there is nothing to
// draw, and words say what is seen or why nothing is.
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

// What a figure shows as a table, for those who cannot see it.
function numberTable(traces, title) {
  const most = 300;
  const rows = [];
  for (const trace of traces.filter((each) => !each.meta?.helper)) {
    if (trace.type === "heatmap") {
      trace.y.forEach((y, i) => trace.x.forEach((x, j) => {
        if (isNumber(trace.z[i][j])) rows.push([`${x}, ${y}`, shown(trace.z[i][j])]);
      }));
      continue;
    }
    // Where lines are not drawn at what they say, as on a radar, they carry it.
    const values = trace.meta?.values ?? trace.y ?? [];
    const places = trace.x ?? [];
    values.forEach((value, i) => rows.push([trace.name ?? "", trace.meta?.names?.[i] ?? shownPlace(places[i]),
      shown(value)]));
  }
  const cut = rows.slice(0, most).map((row) => row.map(unplain));
  const width = Math.max(0, ...cut.map((row) => row.length));
  const result = table(width === 3 ? ["series", "at", "value"] : ["at", "value"], cut, title);
  return rows.length > most ? el("div", {}, result, el("p", {}, `The first ${most} of ${rows.length} numbers.`)) : result;
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
