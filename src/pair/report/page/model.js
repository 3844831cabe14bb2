// A finished run's model on data that it was not trained on: scores by environment, answers by true class, wrong
// answers that it was sure of, and the columns that it leans on.

const modelFigures = {
  environments: figure("environments", "Scores by environment"),
  confusion: figure("confusion", "Answers by true class"),
  columns: figure("columns", "Columns that the model leans on"),
};
const modelChoice = choice("model-choice", "Run", () => updateModel());
const environmentChoice = choice("model-environment", "Environment", () => updateEnvironment());
const modelWords = el("ul", {class: "words", id: "model-words"});
const modelTable = el("div");
const wrongTitle = el("h3", {id: "wrong-title"}, "");
const wrongNote = el("p", {class: "words", id: "wrong-words"});
const wrongList = el("ul", {class: "wrong", id: "wrong", "aria-labelledby": "wrong-title"});
const modelSection = section("model", "The model on held-out data",
  el("div", {class: "choices"}, modelChoice.box, environmentChoice.box), modelWords,
  el("div", {class: "charts"}, ...Object.values(modelFigures).map((each) => each.box)),
  el("details", {id: "model-numbers"}, el("summary", {}, "All numbers by environment"), modelTable),
  wrongTitle, wrongNote, wrongList);

function partOf(environment) {
  return environment.test ? "test" : "held out";
}

function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function scoreOf(evaluation, environment) {
  return evaluation.regression ? environment.rmse : environment.accuracy;
}

function updateEnvironments(run, evaluation) {
  const all = evaluation.environments;
  const names = distinct(all.map((environment) => environment.name));
  const kind = evaluation.regression ? "error" : "accuracy";
  const parts = [[false, "held-out samples", 0, ""], [true, "test environment", 1, "/"]];
  modelFigures.environments.update(() => ({
    revision: run.name,
    traces: parts.filter(([test]) => all.some((environment) => environment.test === test)).map(([test, name, at, pattern]) => {
      const places = all.map((_, i) => i).filter((i) => all[i].test === test);
      const values = places.map((i) => scoreOf(evaluation, all[i]));
      return {type: "bar", orientation: "h", name, x: values, y: places.map((i) => names[i]),
        marker: {color: faded(look(at).color, 0.75), line: {color: look(at).color, width: 1}, pattern: {shape: pattern, fgcolor: look(at).color, bgcolor: faded(look(at).color, 0.2), size: 7}},
        text: values.map((value) => shown(value, kind)), textposition: "auto", insidetextanchor: "end",
        textfont: {color: colors().ink}, insidetextfont: {color: colors().ink},
        customdata: places.map((i) => all[i].samples), hovertemplate: "%{y}: %{text} of %{customdata} samples<extra></extra>",
        meta: {names: places.map((i) => names[i]), values}};
    }),
    layout: {height: Math.min(1400, Math.max(320, 110 + 30 * all.length)), barmode: "overlay",
      xaxis: evaluation.regression ? axis("root mean squared error", {rangemode: "tozero"}) :
        axis("accuracy", {tickformat: ".0%", range: [0, 1]}),
      yaxis: axis("", {type: "category", categoryorder: "array", categoryarray: names, autorange: "reversed"})},
  }), all.map((environment) => `${environment.name} (${partOf(environment)}) ${shown(scoreOf(evaluation, environment), kind)}`)
    .slice(0, 12).join(", ") + (all.length > 12 ? ` and ${all.length - 12} more.` : "."));
}

function updateColumns(run, evaluation) {
  const columns = evaluation.columns;
  modelFigures.columns.box.hidden = !columns;
  modelFigures.columns.box.style.gridColumn = "1 / -1";
  if (!columns) {
    modelFigures.columns.update(() => null, "Only models of tables have columns.");
    return;
  }
  const of = columns.environments.map((e) => evaluation.environments[e]);
  const label = evaluation.label || "the label";
  // A colour needs one number: the size of the share, with the sign of the agreement.
  const signed = (share, agreement) => isNumber(share) ? Math.abs(share) * (agreement < 0 ? -1 : 1) : null;
  modelFigures.columns.update(() => ({
    revision: run.name,
    traces: [{type: "heatmap", x: distinct(of.map((environment) => environment.name + (environment.test ? " (test)" : "")), 20),
      y: distinct(columns.names), z: columns.names.map((_, c) => of.map((_, e) => signed(columns.share[e][c], columns.agreement[e][c]))),
      text: columns.names.map((_, c) => of.map((_, e) => isNumber(columns.share[e][c]) ?
        `${(100 * columns.share[e][c]).toFixed(0)}%<br>r ${shown(+(columns.agreement[e][c] ?? NaN).toFixed(2))}` : "")),
      texttemplate: of.length <= 12 ? "%{text}" : "", hovertemplate: "%{y}, %{x}<br>share %{text}<extra></extra>",
      zmin: -1, zmax: 1, colorscale: page.palette.diverging, xgap: 1, ygap: 1,
      colorbar: {tickvals: [-1, -0.5, 0, 0.5, 1], ticktext: ["100%, misleads", "50%", "0%", "50%", "100%, helps"], thickness: 12},
      meta: {values: columns.names.map((_, c) => of.map((_, e) => columns.share[e][c]))}}],
    layout: {height: Math.min(1200, Math.max(320, 110 + 40 * columns.names.length)), showlegend: false,
      xaxis: axis("", {type: "category", tickangle: of.length > 5 ? -45 : 0}), yaxis: axis("", {type: "category", autorange: "reversed"})},
  }), `Percentages: the column's share of the variation of the model's outputs. r: the correlation of the column's part of the ` +
    `output with ${label}; where it is below 0, the column misleads the model.` +
    (columns.fitted ? " The parts are those of a linear fit to the model's outputs." : "") +
    (columns.left_out > 0 ? ` ${columns.left_out} columns with smaller shares are left out.` : ""));
}

function updateNumbers(evaluation) {
  const percent = (value) => shown(value, "accuracy");
  const [headings, cells] = evaluation.regression ?
    [["root mean squared error", "mean absolute error", "mean residual", "correlation"],
      (each) => [shown(each.rmse), shown(each.mae), shown(each.bias), shown(each.correlation)]] :
    [["accuracy", "mean confidence", "calibration error"],
      (each) => [percent(each.accuracy), percent(each.confidence), percent(each.calibration_error)]];
  modelTable.replaceChildren(table(["environment", "part", "samples", ...headings], evaluation.environments.map((each) =>
    [each.name, partOf(each), shown(each.samples), ...cells(each)]), "Scores by environment"));
}

function updateConfusion(run, evaluation, chosen) {
  const environment = evaluation.environments[chosen];
  const box = modelFigures.confusion.box;
  box.hidden = evaluation.regression;
  box.style.gridColumn = (environment?.confusion?.classes.length ?? 0) > 10 ? "1 / -1" : "";
  const confusion = environment?.confusion;
  if (!confusion) {
    modelFigures.confusion.update(() => null, evaluation.regression ? "A regression has no classes." :
      "Only the worst environments have a table of answers.");
    return;
  }
  const truths = distinct(confusion.classes.map((index) => evaluation.classes[index]), 20);
  const answers = confusion.others ? [...truths, "other classes"] : truths;
  const most = environment.confused.slice(0, 3).map(([truth, answer, count]) =>
    `${evaluation.classes[truth]} taken for ${evaluation.classes[answer]} (${count})`);
  modelFigures.confusion.update(() => ({
    revision: `${run.name} ${chosen}`,
    traces: [{type: "heatmap", x: answers, y: truths, z: confusion.counts.map((row) => {
      const sum = row.reduce((a, b) => a + b, 0);
      return row.map((count) => sum > 0 ? count / sum : null);
    }), text: confusion.counts, texttemplate: answers.length <= 21 ? "%{text}" : "", zmin: 0, zmax: 1,
    hovertemplate: "%{y} taken for %{x}: %{text} (%{z:.1%})<extra></extra>", colorscale: page.palette.scale, xgap: 1, ygap: 1,
    colorbar: {tickformat: ".0%", thickness: 12}, meta: {values: confusion.counts}}],
    layout: {height: Math.min(900, Math.max(320, 140 + 30 * truths.length)), showlegend: false,
      xaxis: axis("answer", {type: "category", tickangle: answers.length > 5 ? -45 : 0}),
      yaxis: axis("true class", {type: "category", autorange: "reversed"})},
  }), `${environment.name} (${partOf(environment)}), ${environment.samples} samples: numbers of samples; colours: shares of the ` +
    `true class.` + (most.length > 0 ? ` Most frequent confusions: ${most.join(", ")}.` : " No answer is wrong.") +
    (confusion.others ? ` The ${truths.length} classes with the most wrong answers, of ${evaluation.classes_in_all}.` : ""));
}

function wrongCard(evaluation, wrong) {
  const environment = evaluation.environments[wrong.environment];
  const verdict = evaluation.regression ? ["label ", el("strong", {}, shown(wrong.label)), ", answer ", el("strong", {}, shown(wrong.value))] :
    [el("strong", {}, evaluation.classes[wrong.truth]), " taken for ", el("strong", {}, evaluation.classes[wrong.answer]),
      `, ${shown(wrong.probability, "accuracy")}`];
  const words = verdict.map((part) => part.textContent ?? part).join("");
  return el("li", {},
    wrong.picture ? el("img", {src: `data:image/jpeg;base64,${wrong.picture}`, alt: `${wrong.sample}: ${words}`}) : null,
    el("p", {class: "verdict"}, ...verdict),
    wrong.text ? el("blockquote", {}, wrong.text) : null,
    wrong.cells ? el("dl", {}, ...wrong.cells.flatMap(([column, cell]) => [el("dt", {}, column), el("dd", {}, cell === "" ? "–" : cell)]),
      ...(wrong.cells_left_out > 0 ? [el("dt", {}, "…"), el("dd", {}, `${wrong.cells_left_out} more columns`)] : [])) : null,
    // Paths begin with the environment's folder.
    el("p", {class: "words"}, wrong.sample.startsWith(`${environment.name}/`) ? wrong.sample : `${environment.name}, ${wrong.sample}`));
}

function updateWrong(evaluation, chosen) {
  const most = 12;
  const surest = (wrong) => evaluation.regression ? Math.abs(wrong.value - wrong.label) : wrong.probability;
  const all = evaluation.wrong.filter((wrong) => chosen < 0 || wrong.environment === chosen);
  const list = [...all].sort((a, b) => surest(b) - surest(a)).slice(0, most);
  const where = chosen < 0 ? "of all environments" : `in ${evaluation.environments[chosen].name}`;
  wrongTitle.textContent = evaluation.regression ? `Largest errors ${where}` : `Wrong answers that the model is surest of, ${where}`;
  wrongNote.textContent = list.length > 0 ? "" : chosen >= 0 && evaluation.environments[chosen].accuracy < 1 ?
    "Only the worst environments have examples." : "No answer is wrong.";
  wrongList.replaceChildren(...list.map((wrong) => wrongCard(evaluation, wrong)));
}

function updateEnvironment() {
  const run = data.runs[Number(modelChoice.value)];
  const evaluation = run?.evaluation;
  if (!evaluation) return;
  const chosen = environmentChoice.value === "all" ? -1 : Number(environmentChoice.value);
  updateConfusion(run, evaluation, chosen < 0 ? evaluation.worst : chosen);
  updateWrong(evaluation, chosen);
}

function updateModel() {
  const run = data.runs[Number(modelChoice.value)];
  const evaluation = run?.evaluation;
  if (!evaluation) return;
  modelWords.replaceChildren(...[`${run.name}: ${run.algorithm}, seed ${run.seed}, after ${evaluation.steps} steps. Test ` +
    "environments were not trained on; of the others, these are held-out samples.", ...evaluation.words.map(sentence)]
    .map((text) => el("li", {}, text)));
  updateEnvironments(run, evaluation);
  updateColumns(run, evaluation);
  updateNumbers(evaluation);
  environmentChoice.set([...evaluation.environments.map((environment, i) =>
    [String(i), `${environment.name} (${partOf(environment)}${i === evaluation.worst ? ", worst" : ""})`]),
  ["all", "all environments"]], String(evaluation.worst));
  updateEnvironment();
}

function updateModels() {
  const options = data.runs.map((run, i) => [String(i), run]).filter(([, run]) => run.evaluation)
    .map(([i, run]) => [i, `${run.label} (${run.algorithm}, seed ${run.seed})`]);
  modelSection.hidden = options.length === 0;
  const preferred = options.find(([i]) => i === runChoice.value) ?? options[0];
  modelChoice.set(options, preferred?.[0] ?? "");
  modelChoice.box.hidden = options.length < 2;
  if (options.length > 0) {
    updateModel();
    return;
  }
  for (const each of Object.values(modelFigures)) {
    each.update(() => null, "No run has an evaluation.");
    each.draw();  // nothing to wait for
  }
}
