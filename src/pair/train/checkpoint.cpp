#include "pair/train/checkpoint.h"

#include <torch/utils.h>

#include <istream>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "pair/train/archive.h"

namespace pair::train {
namespace {

using torch::serialize::InputArchive;
using torch::serialize::OutputArchive;

std::string objective_key(std::size_t number) {
  return "objective" + std::to_string(number);
}

// Copies into the tensors of the model, in place.
void read_into(const std::vector<torch::Tensor>& own, const std::vector<torch::Tensor>& saved,
               const std::string& what) {
  if (saved.size() != own.size()) {
    throw std::runtime_error("the checkpoint has " + std::to_string(saved.size()) + " " + what +
                             "; expected " + std::to_string(own.size()));
  }
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (saved[i].sizes() != own[i].sizes()) {
      throw std::runtime_error("the checkpoint belongs to a model of another size");
    }
  }
  const torch::NoGradGuard no_graph;
  for (std::size_t i = 0; i < own.size(); ++i) {
    torch::Tensor(own[i]).copy_(saved[i]);
  }
}

}  // namespace

void write_checkpoint(std::ostream& out, const Learner& learner, const StepStrategy& strategy,
                      const AveragedWeights& average) {
  OutputArchive archive;
  write(archive, "parameters", learner.model->parameters());
  write(archive, "buffers", learner.model->buffers());
  for (std::size_t k = 0; k < learner.objectives.size(); ++k) {
    write(archive, objective_key(k), learner.objectives[k]->state());
  }
  if (const TrackedMoments* const tracked = learner.step.tracked()) {
    write(archive, "tracked", tracked->state());
  }
  archive.write("draws", c10::IValue(learner.draws.state()));
  const Progress& progress = learner.progress;
  write(archive, "losses", progress.last.losses);
  write(archive, "weights", progress.last.weights);
  write(archive, "conflict", progress.last.conflict);
  write(archive, "numbers", std::vector<double>{progress.last.loss, progress.divergence});
  archive.write("steps", c10::IValue(progress.steps));
  archive.write("balancing", c10::IValue(progress.phase == Phase::balance));
  archive.write("feasible", c10::IValue(progress.feasible));
  archive.write("backtracks", c10::IValue(progress.guard.backtracks));
  archive.write("backtracking", c10::IValue(progress.guard.backtracking));
  learner.means.save(archive);
  OutputArchive update;
  learner.update->save(update);
  archive.write("update", update);
  strategy.save(archive);
  average.save(archive);
  archive.save_to(out);
}

InputArchive open_checkpoint(std::istream& in, const DeviceLink& link) {
  InputArchive archive;
  link.perform([&] { archive.load_from(in, link.device()); });
  return archive;
}

Phase read_phase(InputArchive& archive) {
  return read_value(archive, "balancing").toBool() ? Phase::balance : Phase::descent;
}

std::int64_t read_steps(InputArchive& archive) {
  return read_value(archive, "steps").toInt();
}

void read_model(InputArchive& archive, models::Model& model) {
  c10::IValue count;
  const bool has_buffers = archive.try_read("buffers/count", count);
  const std::vector<torch::Tensor> buffers =
      has_buffers ? read_tensors(archive, "buffers") : std::vector<torch::Tensor>{};
  read_into(model.parameters(), read_tensors(archive, "parameters"), "parameters");
  read_into(model.buffers(), buffers, "buffers");
}

void read_state(InputArchive& archive, Learner& learner, StepStrategy& strategy) {
  for (std::size_t k = 0; k < learner.objectives.size(); ++k) {
    const std::vector<torch::Tensor> state = read_tensors(archive, objective_key(k));
    learner.objectives[k]->restore(state);
  }
  if (TrackedMoments* const tracked = learner.step.tracked()) {
    tracked->restore(read_tensors(archive, "tracked"));
  }
  learner.draws.restore(read_value(archive, "draws").toStringRef());
  Progress& progress = learner.progress;
  progress.last.losses = read_numbers(archive, "losses");
  progress.last.weights = read_numbers(archive, "weights");
  progress.last.conflict = read_numbers(archive, "conflict");
  const std::vector<double> numbers = read_numbers(archive, "numbers");
  progress.last.loss = numbers.at(0);
  progress.divergence = numbers.at(1);
  progress.steps = read_steps(archive);
  progress.feasible = read_value(archive, "feasible").toBool();
  progress.guard.backtracks = read_value(archive, "backtracks").toInt();
  progress.guard.backtracking = read_value(archive, "backtracking").toDouble();
  learner.means.load(archive);
  InputArchive update;
  archive.read("update", update);
  learner.update->load(update);
  strategy.load(archive);
  strategy.settle();  // the rest of the guard's state is in the update
}

}  // namespace pair::train
