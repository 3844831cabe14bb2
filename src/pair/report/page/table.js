// All runs, sortable and filterable.

const filterText = el("input", {type: "search", id: "filter-text", placeholder: "name, setting=value, ...", input: () => {
  rowsShown = pageOfRows;
  updateTable();
}});
const filterMethod = choice("filter-method", "Method", () => updateTable());
const filterState = choice("filter-state", "State", () => updateTable());
const tableCount = el("p", {id: "table-count", role: "status", "aria-live": "polite"});
const tableHead = el("tr");
const tableBody = el("tbody");
const moreRows = el("button", {type: "button", id: "more-rows", click: () => {
  rowsShown = Infinity;
  updateTable();
}}, "Show all");
const tableSection = section("table", "All runs", el("div", {class: "choices"},
  el("label", {class: "choice", for: "filter-text"}, el("span", {}, "Filter"), filterText), filterMethod.box, filterState.box),
tableCount, el("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of runs"},
  el("table", {id: "runs"}, el("caption", {}, "Runs with the settings that vary and their last records; click a heading to sort"),
    el("thead", {}, tableHead), tableBody)), moreRows);

const pageOfRows = 100;
let rowsShown = pageOfRows;
let order = {column: "run", descending: false};

// {id, label, value: the sort key, text or cell: the content shown}
function tableColumns() {
  const columns = [
    {id: "run", label: "run", value: (run) => run.label, cell: (run) => runButton(data.runs.indexOf(run))},
    {id: "method", label: "method", value: (run) => data.methods[run.method].label},
    {id: "seed", label: "seed", value: (run) => run.seed},
    {id: "state", label: "state", value: (run) => run.state, text: (run) => stateWords[run.state]},
    {id: "step", label: "step", value: (run) => run.step},
  ];
  data.metrics.filter((metric) => ["accuracy", "error", "loss"].includes(metric.kind)).slice(0, 14).forEach((metric) => {
    const at = data.metrics.indexOf(metric);
    columns.push({id: metric.key, label: metric.label, value: (run) => run.last[at], text: (run) => shown(run.last[at], metric.kind)});
  });
  data.settings.varying.slice(0, 12).forEach((name, i) => {
    columns.push({id: `setting ${name}`, label: name, value: (run) => settingNumber(run.settings[i]) ?? run.settings[i],
      text: (run) => shownSetting(run.settings[i])});
  });
  return columns;
}

// Numbers by value, texts alphabetically; missing values last in either direction.
function compare(a, b, descending) {
  const missing = (value) => value === null || value === undefined;
  if (missing(a) || missing(b)) return missing(a) - missing(b);
  const way = descending ? -1 : 1;
  if (typeof a === "number" && typeof b === "number") return way * (a - b);
  return way * String(a).localeCompare(String(b), "en", {numeric: true});
}

function matchesFilter(run, words) {
  const text = [run.name, run.dataset, data.methods[run.method].label, `seed=${run.seed}`, run.state,
    ...data.settings.varying.map((name, i) => `${name}=${shownSetting(run.settings[i])}`)].join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
}

function sortBy(id) {
  order = {column: id, descending: order.column === id && !order.descending};
  updateTable();
  tableHead.querySelector(`[aria-sort="ascending"] button, [aria-sort="descending"] button`)?.focus();
}

function updateTable() {
  tableSection.hidden = data.runs.length < 2;
  if (tableSection.hidden) return;
  filterMethod.set([["", "all"], ...data.methods.map((method, i) => [String(i), method.label])], "");
  filterState.set([["", "all"], ...Object.entries(stateWords)], "");
  const columns = tableColumns();
  const sorted = columns.find((column) => column.id === order.column) ?? columns[0];
  const words = filterText.value.toLowerCase().split(/\s+/).filter((word) => word);
  const runs = data.runs.filter((run) => (filterMethod.value === "" || run.method === Number(filterMethod.value)) &&
    (filterState.value === "" || run.state === filterState.value) && matchesFilter(run, words));
  const keyed = runs.map((run) => [sorted.value(run), run]);
  keyed.sort((a, b) => compare(a[0], b[0], order.descending));
  tableHead.replaceChildren(...columns.map((column) => el("th", {scope: "col",
    "aria-sort": column === sorted ? (order.descending ? "descending" : "ascending") : "none"},
  el("button", {type: "button", "data-column": column.id, click: () => sortBy(column.id)}, column.label))));
  tableBody.replaceChildren(...keyed.slice(0, rowsShown).map(([, run]) => el("tr", {class: run.state}, ...columns.map((column, i) =>
    el(i === 0 ? "th" : "td", i === 0 ? {scope: "row"} : {class: typeof column.value(run) === "number" ? "number" : null},
      column.cell ? column.cell(run) : column.text ? column.text(run) : String(column.value(run) ?? "–"))))));
  tableCount.textContent = `${runs.length} of ${data.runs.length} runs` +
    (runs.length > rowsShown ? `, the first ${rowsShown} shown.` : ".");
  moreRows.hidden = runs.length <= rowsShown;
}
