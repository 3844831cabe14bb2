"use strict";
// Small DOM tools. Names from records only enter the page as text nodes.

const page = JSON.parse(document.getElementById("page").textContent);

// el("p", {class: "note"}, "text", child): attributes by name, listeners by function.
function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

function section(id, title, ...children) {
  return el("section", {id, "aria-labelledby": `${id}-title`}, el("h2", {id: `${id}-title`}, title), ...children);
}

// A labelled choice. `set` replaces the options and keeps the reader's choice if it still exists. Otherwise the value
// is the preferred one or, if that does not exist either, the first.
function choice(id, label, changed) {
  const select = el("select", {id, change: () => { select.dataset.touched = "1"; changed(); }});
  const box = el("label", {class: "choice", for: id}, el("span", {}, label), select);
  return {
    box,
    get value() { return select.value; },
    set value(value) { select.value = value; },
    set(options, preferred) {
      const wanted = select.dataset.touched ? [select.value, preferred] : [preferred];
      const same = select.options.length === options.length &&
        options.every((option, i) => select.options[i].value === option[0] && select.options[i].text === option[1]);
      if (!same) select.replaceChildren(...options.map(([value, text]) => el("option", {value}, text)));
      select.value = wanted.find((each) => options.some(([value]) => value === each)) ?? options[0]?.[0] ?? "";
    },
  };
}

function shorten(text, most) {
  const characters = Array.from(text);
  return characters.length > most ? characters.slice(0, most - 1).join("") + "…" : text;
}

// Text that Plotly shows literally: it interprets some tags and entities itself.
function plain(text, most = 48) {
  return shorten(String(text), most).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

// The beginning and the end of a long text.
function withoutMiddle(text, most) {
  const characters = Array.from(text);
  const kept = (most - 1) / 2;
  return characters.length > most ?
    [...characters.slice(0, Math.ceil(kept)), "…", ...characters.slice(-Math.floor(kept))].join("") : text;
}

// Labels of an axis. They must differ, since Plotly joins equal ones: if the beginnings of long names are the same,
// their ends are kept, too.
function distinct(names, most = 28) {
  const alike = new Set(names.map((name) => shorten(name, most))).size < new Set(names).size;
  const seen = new Map();
  return names.map((name) => {
    const text = plain(alike ? withoutMiddle(name, most) : name, most);
    const count = (seen.get(text) ?? 0) + 1;
    seen.set(text, count);
    return count === 1 ? text : `${text} (${count})`;
  });
}

function isNumber(value) {
  return typeof value === "number" && Number.isFinite(value);
}

function shown(value, kind) {
  if (!isNumber(value)) return "–";
  if (kind === "accuracy") return (100 * value).toFixed(1) + "%";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e6) return String(value);
  return size !== 0 && (size < 1e-3 || size >= 1e5) ? value.toExponential(2) : String(+value.toPrecision(4));
}

// A setting, given as JSON text, for display.
function shownSetting(text) {
  if (text === null || text === undefined) return "–";
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

function settingNumber(text) {
  const value = text === null || text === undefined || text === "" ? NaN : Number(text);
  return Number.isFinite(value) ? value : null;
}

function table(headings, rows, caption) {
  return el("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": caption},
    el("table", {}, el("caption", {}, caption),
      el("thead", {}, el("tr", {}, ...headings.map((heading) => el("th", {scope: "col"}, heading)))),
      el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map((cell) => el("td", {}, cell)))))));
}
