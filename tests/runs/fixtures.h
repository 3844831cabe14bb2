#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "pair/base/assignment.h"
#include "pair/data/colored_mnist_spec.h"
#include "pair/runs/run_spec.h"
#include "pair/runs/settings.h"
#include "tests/support/scratch.h"

namespace pair::runs::testing {

using tests::Scratch;

void write(const std::filesystem::path& path, std::string_view text);

// The dataset of a spec that has ColoredMNIST.
data::ColoredMnistSpec& colored_mnist(RunSpec& spec);

// A run of milliseconds: few digits, a narrow model, 20 steps of which 8 are ERM's.
RunSpec small_spec(std::string_view algorithm = "pair", std::uint64_t seed = 0,
                   std::span<const base::Assignment> overrides = {});

// small_spec, or where that has no such setting one with the dataset, the algorithm or the objective that
// has.
RunSpec spec_with(std::string_view setting);

}  // namespace pair::runs::testing
