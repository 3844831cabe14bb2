#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pair/plot/figure.h"

// One figure of every kind that reports and recipes draw, with made-up numbers.

namespace pair::plot::test {

std::vector<std::pair<std::string, Figure>> samples();

}  // namespace pair::plot::test
