#include "pair/bench/train_steps.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <chrono>

#include "pair/bench/measure.h"
#include "pair/train/trainer.h"

namespace pair::bench {
namespace {

double milliseconds_of(const std::function<void()>& work) {
  const auto began = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
}

// The matrix products of an MLP's step: per layer, the forward pass, the gradient of the weights and, except
// for the first layer, the gradient of the input.
class Products {
 public:
  Products(std::int64_t rows, std::int64_t inputs, std::int64_t width, std::int64_t depth) {
    std::int64_t in = inputs;
    for (std::int64_t layer = 0; layer < depth; ++layer) {
      const torch::Tensor x = torch::rand({rows, in});
      const torch::Tensor y = torch::rand({rows, width});
      const torch::Tensor w = torch::rand({width, in});
      add(x, w.t());
      add(y.t(), x);
      if (layer > 0) {
        add(y, w);
      }
      in = width;
    }
  }

  void run() {
    for (auto& [a, b, out] : products_) {
      torch::mm_out(out, a, b);
    }
  }

  [[nodiscard]] double operations() const { return operations_; }

 private:
  struct Product {
    torch::Tensor a;
    torch::Tensor b;
    torch::Tensor out;
  };

  void add(const torch::Tensor& a, const torch::Tensor& b) {
    products_.push_back({a, b, torch::empty({a.size(0), b.size(1)})});
    operations_ += 2.0 * static_cast<double>(a.size(0)) * static_cast<double>(a.size(1)) *
                   static_cast<double>(b.size(1));
  }

  std::vector<Product> products_;
  double operations_ = 0.0;
};

}  // namespace

void bench_steps(const std::shared_ptr<const data::EnvironmentSet>& data, int rounds, StepBench& bench,
                 const std::function<void(int round)>& progress) {
  std::vector<train::Trainer> trainers;
  for (const StepTiming& method : bench.methods) {
    trainers.emplace_back(data, method.settings, 0);
  }
  std::int64_t rows = 0;
  for (const data::Environment& environment : data->train) {
    const std::int64_t batch = bench.methods.front().settings.batch;
    rows += batch > 0 ? batch : environment.labels.size(0);
  }
  const base::Options mlp = bench.methods.front().settings.model_options;
  const auto size = [&mlp](const char* name) { return std::get<std::int64_t>(mlp.get(*mlp.find(name))); };
  Products products(rows, data->train.front().inputs[0].numel(), size("width"), size("depth"));
  bench.operations = products.operations();
  constexpr int warm_up = 2;
  for (int round = 0; round < rounds + warm_up; ++round) {
    progress(round);
    const torch::NoGradGuard no_graph;
    const double floor = milliseconds_of([&] { products.run(); });
    if (round >= warm_up) {
      bench.products_ms.push_back(floor);
    }
    for (std::size_t i = 0; i < trainers.size(); ++i) {
      const torch::AutoGradMode with_graph(true);
      const double taken = milliseconds_of([&] { trainers[i].advance(); });
      if (round >= warm_up) {
        bench.methods[i].milliseconds.push_back(taken);
      }
    }
  }
}

}  // namespace pair::bench
