#include <csignal>
#include <iostream>

#include "pair/bench/bench.h"
#ifdef PAIR_BENCH_TRAINING
#include "pair/cli/train_commands.h"
#endif

int main(int argc, char** argv) {
#ifdef PAIR_BENCH_TRAINING
  pair::cli::prepare_to_train();
#endif
  std::signal(SIGPIPE, SIG_IGN);
  std::ios::sync_with_stdio(false);
  pair::cli::Context standard{std::cin, std::cout, std::cerr};
  return pair::cli::run(argc, argv, standard, [](CLI::App& app, pair::cli::Context& context) {
    CLI::App& bench = pair::bench::add_bench(app);
    pair::bench::add_bench_solver(bench, context);
    pair::bench::add_bench_select(bench, context);
    pair::bench::add_bench_watch(bench, context);
    pair::bench::add_bench_table(bench, context);
#ifdef PAIR_BENCH_TRAINING
    pair::bench::add_bench_step(bench, context);
    pair::bench::add_bench_domainbed(bench, context);
    pair::bench::add_bench_extrapolation(bench, context);
    pair::bench::add_bench_gpu(bench, context);
    pair::bench::add_bench_ranks(bench, context);
    pair::bench::add_bench_sweep(bench, context);
    pair::bench::add_bench_text(bench, context);
    pair::bench::add_bench_images(bench, context);
#endif
  });
}
