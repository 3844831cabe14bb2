#include "pair/report/evaluation_words.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "pair/report/importance.h"
#include "pair/report/number.h"
#include "pair/report/ranking.h"

namespace pair::report {
namespace {

using runs::Evaluation;

std::string quoted(const std::string& name) {
  return "'" + name + "'";
}

std::string signed_number(double value) {
  return (value >= 0.0 ? "+" : "") + said(value);
}

std::string environment_words(const Evaluation::Environment& environment) {
  return quoted(environment.name) + (environment.test ? " (test)" : " (held-out samples)");
}

std::string score_words(const Evaluation& evaluation, const Evaluation::Environment& environment) {
  if (evaluation.regression) {
    return "a root mean squared error of " + said(environment.rmse) + " on " +
           counted(static_cast<std::size_t>(environment.samples), "sample") + ", with a mean residual of " +
           signed_number(environment.bias);
  }
  return said_accuracy(environment.accuracy) + " of " +
         counted(static_cast<std::size_t>(environment.samples), "answer") + " are right";
}

// The mean over the others.
double others_score(const Evaluation& evaluation, std::size_t except) {
  double sum = 0.0;
  for (std::size_t e = 0; e < evaluation.environments.size(); ++e) {
    const Evaluation::Environment& environment = evaluation.environments[e];
    sum += e == except ? 0.0 : evaluation.regression ? environment.rmse : environment.accuracy;
  }
  return sum / static_cast<double>(evaluation.environments.size() - 1);
}

// "erm, seed 0", with the dataset if there are several, and with the run and its test environments if other
// runs have the same algorithm, dataset and seed.
std::string name_of_run(const Sources& sources, const select::Run& run) {
  const auto alike = std::ranges::count_if(sources.history(), [&run](const select::Run& other) {
    return other.algorithm == run.algorithm && other.dataset == run.dataset &&
           other.trial_seed == run.trial_seed;
  });
  std::string name = run.algorithm + (have_several_datasets(sources.methods) ? " on " + run.dataset : "") +
                     ", seed " + std::to_string(run.trial_seed);
  if (alike > 1) {
    name +=
        ", run " + std::filesystem::path(run.name).filename().string() + " with " + test_environments_of(run);
  }
  return name;
}

}  // namespace

std::optional<Flip> flip_of(const Evaluation& evaluation) {
  constexpr double least_share = 0.1;
  constexpr double least_agreement = 0.05;
  std::optional<Flip> found;
  if (!evaluation.columns) {
    return found;
  }
  const Evaluation::Columns& columns = *evaluation.columns;
  for (std::size_t i = 0; i < columns.environments.size(); ++i) {
    const std::size_t e = columns.environments[i];
    const double noise = 2.0 / std::sqrt(static_cast<double>(evaluation.environments[e].samples));
    for (std::size_t c = 0; c < columns.names.size(); ++c) {
      Flip flip{e, c, columns.agreement[i][c]};
      int count = 0;
      for (std::size_t other = 0; other < columns.environments.size(); ++other) {
        if (other != i && !evaluation.environments[columns.environments[other]].test &&
            std::isfinite(columns.agreement[other][c]) && std::isfinite(columns.share[other][c])) {
          flip.share += columns.share[other][c];
          flip.elsewhere += columns.agreement[other][c];
          ++count;
        }
      }
      flip.share /= std::max(count, 1);
      flip.elsewhere /= std::max(count, 1);
      const bool flips = flip.share >= least_share && flip.agreement < -std::max(least_agreement, noise) &&
                         flip.elsewhere > least_agreement;
      if (flips && (!found || flip.share * flip.agreement < found->share * found->agreement)) {
        found = flip;
      }
    }
  }
  return found;
}

std::vector<std::string> evaluation_words(const Evaluation& evaluation) {
  const Evaluation::Environment& worst = evaluation.environments[evaluation.worst];
  std::string text = "the worst environment is " + environment_words(worst) +
                     (evaluation.regression ? ", with " : ", where ") + score_words(evaluation, worst);
  if (evaluation.environments.size() > 1) {
    const double others = others_score(evaluation, evaluation.worst);
    text += "; the mean of the others is " + (evaluation.regression ? said(others) : said_accuracy(others));
  }
  std::vector<std::string> sentences{text + "."};
  if (!worst.confused.empty()) {
    const Evaluation::Confused& most = worst.confused.front();
    sentences.push_back("its most frequent confusion there: " + quoted(evaluation.classes[most.truth]) +
                        " taken for " + quoted(evaluation.classes[most.answer]) + ", " +
                        counted(static_cast<std::size_t>(most.count), "time") + ".");
  }
  if (const std::optional<Flip> flip = flip_of(evaluation)) {
    const std::string label = evaluation.label.empty() ? "the label" : quoted(evaluation.label);
    sentences.push_back(
        "it leans on " + quoted(evaluation.columns->names[flip->column]) + " (" + said_accuracy(flip->share) +
        " of the variation of its outputs in the training environments), which points the wrong way in " +
        quoted(evaluation.environments[flip->environment].name) + ": the correlation of its part with " +
        label + " is " + signed_number(flip->agreement) + " there, and " + signed_number(flip->elsewhere) +
        " in the training environments.");
  }
  return sentences;
}

std::vector<Sentence> evaluation_sentences(const Sources& sources) {
  constexpr std::size_t most = 4;
  std::set<std::string> seen;
  std::vector<Sentence> sentences;
  for (const std::size_t run : by_importance(sources)) {
    const auto found = sources.evaluations.find(run);
    const select::Run& of = sources.history()[run];
    if (found == sources.evaluations.end() || seen.size() == most ||
        !seen.insert(of.algorithm + " on " + of.dataset).second) {
      continue;
    }
    std::string text;
    for (const std::string& sentence : evaluation_words(found->second)) {
      text += text.empty()
                  ? sentence
                  : " " + std::string(1, static_cast<char>(std::toupper(sentence[0]))) + sentence.substr(1);
    }
    sentences.push_back({"model", name_of_run(sources, of) + ": " + text});
  }
  return sentences;
}

}  // namespace pair::report
