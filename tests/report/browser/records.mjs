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
  if (ends === "done") writeFileSync(join(folder, "done"), "{}");
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
