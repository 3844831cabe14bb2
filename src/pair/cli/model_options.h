#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "pair/cli/command.h"
#include "pair/runs/kept_models.h"

namespace pair::cli {

// Options of the commands that apply a trained model. Request: runs::PredictRequest or runs::ScoreRequest.
struct ModelOptions {
  std::string run;
  std::optional<std::int64_t> step;
  std::string broken = "fail";

  // Adds --step, --broken and, into the request, --workers, --device and --threads. Both must outlive the
  // command.
  template <class Request>
  void add(CLI::App& command, Request& request) {
    command.add_option("--step", step,
                       "The model after this step, if the run kept it (default: after the last)");
    command.add_option("--broken", broken, "On broken images: fail, or skip and count them")
        ->capture_default_str();
    command.add_option("--workers", request.workers, "Threads that decode images")->capture_default_str();
    command.add_option("--device", request.device, "cpu, cuda or cuda:N; in fp32")->capture_default_str();
    command.add_option("--threads", request.threads, "Threads per operation")->capture_default_str();
  }

  // The request with the other options. Throws UsageError, and std::invalid_argument for a step whose model was
  // not kept.
  template <class Request>
  [[nodiscard]] Request complete(Request request) const {
    if (broken != "fail" && broken != "skip") {
      throw UsageError("--broken: expected fail or skip, got '" + broken + "'");
    }
    request.run = runs::folder_of_step(run, step);
    request.skip_broken = broken == "skip";
    return request;
  }
};

}  // namespace pair::cli
