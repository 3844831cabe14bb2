// The page as a whole.

let data = JSON.parse(document.getElementById("data").textContent);

const summaryBox = el("div", {id: "summary-text"});
const liveStatus = el("p", {id: "live", role: "status", class: "words", hidden: !page.live});
const themeChoice = choice("theme", "Colours", () => setTheme(themeChoice.value));
const heading = el("h1");
const notesBox = el("div");
const notesSection = section("notes", "Left out", notesBox);
const commonBox = el("div");
const commonSection = section("settings", "Settings that all runs share", commonBox);

function setTheme(chosen) {
  theme = chosen;
  document.documentElement.dataset.theme = chosen;
  try {
    localStorage.setItem("pair-theme", chosen);
  } catch {
    // A page opened from disk may have no storage: the choice is then lost with the page.
  }
  redrawAll();
}

function updateSummary() {
  const titles = {trained: "Training", best: "Best method", criterion: "Selected runs", model: "On held-out data",
    distrust: "Caveats"};
  summaryBox.replaceChildren(...Object.entries(titles).flatMap(([kind, title]) => {
    const sentences = data.summary.filter((sentence) => sentence.kind === kind);
    return sentences.length === 0 ? [] : [el("h3", {}, title),
      el("ul", {class: kind}, ...sentences.map((sentence) => el("li", {}, sentence.text)))];
  }));
}

function updateNotes() {
  const notes = [...data.notes, ...data.left_out];
  notesSection.hidden = notes.length === 0;
  notesBox.replaceChildren(el("ul", {}, ...notes.map((note) => el("li", {}, note))));
  const common = Object.entries(data.settings.common);
  commonSection.hidden = common.length === 0 || data.runs.length < 2;
  commonBox.replaceChildren(el("details", {}, el("summary", {}, `${common.length} settings`),
    table(["setting", "value"], common.map(([name, value]) => [name, shownSetting(value)]), "Settings that all runs share")));
}

function update() {
  heading.textContent = data.title;
  updateSummary();
  updateSeveral();
  updateSweep();
  updateRuns();
  updateModels();
  updateTable();
  updateNotes();
  for (const link of document.querySelectorAll("nav a[href^='#']")) {
    const target = document.getElementById(link.getAttribute("href").slice(1));
    link.parentElement.hidden = !target || target.hidden;
  }
}

function follow() {
  const source = new EventSource("events");
  source.onopen = () => { liveStatus.textContent = "Following the runs."; };
  source.onerror = () => { liveStatus.textContent = "Connection lost; reconnecting."; };
  source.onmessage = (message) => {
    data = JSON.parse(message.data);
    update();
    liveStatus.textContent = `Following the runs: ${data.progress.records} records.`;
  };
}

const sections = [["summary", "Summary"], ["run", "A run"], ["model", "The model"], ["several", "Comparison"], ["sweep", "Sweep"],
  ["selection", "Selection"], ["table", "All runs"], ["settings", "Settings"], ["notes", "Left out"]];
document.body.append(
  el("a", {href: "#main", class: "skip"}, "Skip to content"),
  el("header", {}, heading, el("div", {class: "bar"}, el("nav", {"aria-label": "Sections"}, el("ul", {},
    ...sections.map(([id, title]) => el("li", {}, el("a", {href: `#${id}`}, title))))), themeChoice.box), liveStatus),
  el("main", {id: "main", tabindex: "-1"},
    page.plotly ? null : el("p", {class: "missing", role: "note"}, "This program was built without its plotting library: " +
      "charts are missing from this page; 'pair report --figures' writes them as files."),
    section("summary", "Summary", summaryBox), runSection, modelSection, severalSection, sweepSection, selectionSection, tableSection,
    commonSection, notesSection),
  el("footer", {}, el("p", {}, page.plotly ? "Made by pair. Charts: Plotly.js (MIT licence, included in this file)." : "Made by pair.")));

themeChoice.set([["system", "system"], ["light", "light"], ["dark", "dark"]], "system");
try {
  const kept = localStorage.getItem("pair-theme");
  if (["light", "dark"].includes(kept)) themeChoice.value = kept;
} catch {
  // As above.
}
theme = themeChoice.value;
document.documentElement.dataset.theme = theme;
systemDark.addEventListener("change", redrawAll);
// Paper is white, and narrower than most screens.
window.addEventListener("beforeprint", () => {
  printing = true;
  document.documentElement.dataset.printing = "1";
  for (const each of figures.values()) each.draw();
});
window.addEventListener("afterprint", () => {
  printing = false;
  delete document.documentElement.dataset.printing;
  redrawAll();
});
update();
if (page.live) follow();
