// The training loop of erm_loop.cpp with PAIR-o: ERM, IRMv1 and V-REx, weighed at every step.

#include <cstdio>
#include <vector>

#include "pair/train/pair_optimizer.h"
#include "reversed_colour.h"

int main() {
  torch::manual_seed(0);
  const std::vector<Environment> environments = {environment(0.1, 5000), environment(0.2, 5000)};
  torch::nn::Linear head(16, 1);
  torch::nn::Sequential model(torch::nn::Linear(2, 16), torch::nn::ReLU(), head);
  torch::optim::SGD sgd(model->parameters(), torch::optim::SGDOptions(0.5).momentum(0.9));
  pair::train::PairOptimizer optimizer(sgd, head->parameters(), {.preference = {1, 1e10, 1e12}});

  for (int step = 0; step < 1000; ++step) {
    std::vector<torch::Tensor> risks, penalties;
    for (const Environment& data : environments) {
      const torch::Tensor logits = model->forward(data.inputs).squeeze(1);
      risks.push_back(torch::binary_cross_entropy_with_logits(logits, data.labels));
      penalties.push_back(((logits.sigmoid() - data.labels) * logits).mean().square());  // IRMv1
    }
    const torch::Tensor erm = torch::stack(risks).mean();
    if (step >= 100) {  // ERM alone first
      optimizer.step({erm, torch::stack(penalties).mean(), torch::stack(risks).var()});
      continue;
    }
    sgd.zero_grad();
    erm.backward();
    sgd.step();
  }

  std::printf("accuracy with reversed colours: %.2f\n", accuracy(model, environment(0.9, 5000)));
}
