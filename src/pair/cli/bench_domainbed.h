#pragma once

#include "pair/cli/command.h"

namespace pair::cli {

// pair bench domainbed: milliseconds an ERM step of DomainBed's network, and of the same by hand in Python.
void add_bench_domainbed(CLI::App& bench, Context& context);

}  // namespace pair::cli
