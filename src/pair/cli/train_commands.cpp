#include "pair/cli/train_commands.h"

#include "pair/cli/bench_domainbed.h"
#include "pair/cli/bench_extrapolation.h"
#include "pair/cli/bench_gpu.h"
#include "pair/cli/bench_step.h"
#include "pair/cli/data.h"
#include "pair/cli/demo.h"
#include "pair/cli/sweep.h"
#include "pair/cli/train.h"

namespace pair::cli {

void add_train_commands(CLI::App& app, Context& context) {
  add_train(app, context);
  add_data(app, context);
  add_sweep(app, context);
  add_demo(app, context);
}

void add_train_benches(CLI::App& bench, Context& context) {
  add_bench_step(bench, context);
  add_bench_domainbed(bench, context);
  add_bench_extrapolation(bench, context);
  add_bench_gpu(bench, context);
}

}  // namespace pair::cli
