// A plain LibTorch training loop. README.md shows the lines that turn it into PAIR-o: pair_loop.cpp.

#include <cstdio>
#include <vector>

#include "reversed_colour.h"

int main() {
  torch::manual_seed(0);
  const std::vector<Environment> environments = {environment(0.1, 5000), environment(0.2, 5000)};
  torch::nn::Linear head(16, 1);
  torch::nn::Sequential model(torch::nn::Linear(2, 16), torch::nn::ReLU(), head);
  torch::optim::SGD sgd(model->parameters(), torch::optim::SGDOptions(0.5).momentum(0.9));

  for (int step = 0; step < 1000; ++step) {
    std::vector<torch::Tensor> risks;
    for (const Environment& data : environments) {
      const torch::Tensor logits = model->forward(data.inputs).squeeze(1);
      risks.push_back(torch::binary_cross_entropy_with_logits(logits, data.labels));
    }
    const torch::Tensor erm = torch::stack(risks).mean();
    sgd.zero_grad();
    erm.backward();
    sgd.step();
  }

  std::printf("accuracy with reversed colours: %.2f\n", accuracy(model, environment(0.9, 5000)));
}
