// Run folders made up for the tests, with records as `pair train` writes them.
import {mkdirSync, writeFileSync} from "node:fs";
import {join} from "node:path";

// The same numbers every time.
function noise(seed) {
  let state = (seed * 2654435761 + 1) >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

export function record({algorithm = "pair", dataset = "cmnist", seed = 0, draw = 0, hparams = {}, step, steps, random, extra = {}}) {
  const share = step / steps;
  const balance = algorithm === "pair" && share > 0.3;
  const good = algorithm === "pair" ? 0.6 : 0.2;
  const jitter = () => 0.02 * (random() - 0.5);
  const erm = balance && share < 0.5 ? 0.7 : balance ? 0.1 : 1;
  return {
    step,
    args: {algorithm, dataset, seed, trial_seed: seed, hparams_seed: draw, test_envs: [2, 3, 4]},
    hparams: {steps, lr: 0.001, objectives: ["erm", "irmv1", "vrex"], ...hparams},
    loss: 0.7 - 0.2 * share, nll: 0.7 - 0.2 * share, penalty: 0.01,
    losses: {erm: 0.7 - 0.2 * share + jitter(), irmv1: 1e-3 * Math.exp(-3 * share) * (1 + random()),
      vrex: 1e-5 * Math.exp(-2 * share) * (1 + random())},
    weights: {erm, irmv1: (1 - erm) / 2, vrex: (1 - erm) / 2},
    phase: balance ? "balance" : "descent", divergence: balance ? 1 - share : 0, feasible: true,
    lr: balance ? 0.2 : 0.001, restarts: Math.floor(10 * share), backtracks: Math.floor(4 * share), rollbacks: 0,
    env0_in_acc: 0.85 + jitter(), env1_in_acc: 0.8 + jitter(),
    env2_out_acc: 0.2 + good * share + jitter(), env3_out_acc: 0.8 + jitter(), env4_out_acc: 0.6 + jitter(),
    worst_test_acc: 0.2 + good * share + jitter(),
    ...extra,
  };
}

// `ends`: "done", "open", or what the file 'failed' says.
export function writeRun(folder, {records = 20, ends = "done", text = "", ...settings} = {}) {
  mkdirSync(folder, {recursive: true});
  const random = noise(1 + (settings.seed ?? 0) + 31 * (settings.draw ?? 0) + 7 * (settings.algorithm ?? "").length);
  const lines = Array.from({length: records}, (_, i) =>
    JSON.stringify(record({steps: 10 * records, step: 10 * (i + 1), random, ...settings})));
  writeFileSync(join(folder, "results.jsonl"), lines.join("\n") + "\n" + text);
  if (ends === "done") writeFileSync(join(folder, "done"), "done");
  else if (ends !== "open") writeFileSync(join(folder, "failed"), ends + "\n");
}

// Two methods, two settings, three seeds: 24 runs.
export function writeSweep(folder) {
  for (const algorithm of ["erm", "pair"]) {
    for (const penalty of [1, 100]) {
      for (const width of [32, 256]) {
        for (const seed of [0, 1, 2]) {
          writeRun(join(folder, `${algorithm}-${penalty}-${width}-${seed}`),
            {algorithm, seed, draw: penalty + width, hparams: {penalty, width}});
        }
      }
    }
  }
}

// A small JPEG file: 8 x 8 pixels of one colour.
const picture = ["/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQERMUFRUVDA8XGB",
  "YUGBIUFRT/2wBDAQMEBAUEBQkFBQkUDQsNFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBT/wAARCAAI",
  "AAgDASIAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhBy",
  "JxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKT",
  "lJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEBAQEBAQAAAA",
  "AAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAECAxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRom",
  "JygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPExc",
  "bHyMnK0tPU1dbX2Nna4uPk5ebn6Onq8vP09fb3+Pn6/9oADAMBAAIRAxEAPwDCooor8KP6dP/Z"].join("");

// evaluation.json of a run on images of two classes in three environments, or of a table ("table") or a regression.
// `names` replaces the names of the environments, classes and samples.
export function writeEvaluation(folder, {kind = "images", names = null} = {}) {
  const regression = kind === "regression";
  const classes = names ? names.slice(0, 2) : ["cat", "dog"];
  const environments = (names ? names.slice(0, 3) : ["art", "photo", "sketch"]).map((name, e) => {
    const right = [45, 40, 15][e];
    const common = {name, key: `env${e}_out`, test: e === 2, samples: 100};
    return regression ? {...common, rmse: e + 1, mae: e + 0.5, bias: e - 0.5, correlation: e === 0 ? null : 0.9} :
      {...common, accuracy: right / 50, confidence: 0.9, calibration_error: Math.abs(0.9 - right / 50),
        confusion: {classes: [0, 1], others: false, counts: [[right, 50 - right], [50 - right, right]]},
        confused: [[0, 1, 50 - right], [1, 0, 50 - right]]};
  });
  const wrong = environments.flatMap((_, environment) => Array.from({length: 12}, (_, i) => ({environment,
    sample: names ? names[i % names.length] : kind === "images" ? `${environments[environment].name}/cat/${i}.jpg` : `line ${i + 2}`,
    ...(regression ? {label: 1, value: 9 - 0.5 * i} : {truth: 0, answer: 1, probability: 0.99 - 0.01 * i - 0.001 * environment}),
    ...(kind === "images" ? {picture} : kind === "texts" ? {text: names ? names[0] : "so kind"} :
      {cells: [["age", "47"], [names ? names[0] : "tone", names ? names[1] : "92"]], cells_left_out: 3})})));
  const evaluation = {format: 1, steps: 200, regression, label: kind === "images" ? "" : "outcome",
    classes: regression ? [] : classes, classes_in_all: regression ? 0 : 2, environments, worst: 2, wrong};
  if (kind === "table") {
    evaluation.columns = {names: names ? names.slice(0, 2) : ["tone", "age"], left_out: 1, fitted: true, environments: [0, 1, 2],
      share: [[0.6, 0.3], [0.55, 0.3], [0.5, 0.35]], agreement: [[0.6, 0.2], [0.5, 0.3], [-0.7, 0.25]]};
  }
  writeFileSync(join(folder, "evaluation.json"), JSON.stringify(evaluation));
}
