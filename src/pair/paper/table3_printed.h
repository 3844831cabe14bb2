#pragma once

#include <string_view>
#include <vector>

// The numbers of Table 3 of the paper and of the tables in its Appendix G.3.

namespace pair::paper {

// An accuracy in percent and its standard error.
struct Printed {
  double mean;
  double error;
};

struct PrintedRow {
  std::vector<Printed> figures;  // one per environment
  Printed average;
};

struct PrintedRows {
  PrintedRow plain;
  PrintedRow pair_s;   // ERM has no such row: its own row is repeated, without gain
  double delta_worst;  // gain by PAIR-s in the worst environment
};

struct PrintedAlgorithm {
  std::string_view key;  // "irmv1"
  std::string_view label;
  PrintedRows train_domain;  // by validation set
  PrintedRows test_domain;
};

struct PrintedDataset {
  std::string_view name;  // as in 'pair list datasets'
  std::vector<std::string_view> environments;
  std::vector<PrintedAlgorithm> algorithms;
};

// ColoredMNIST, PACS and TerraIncognita.
const std::vector<PrintedDataset>& table3_printed();
// Throws std::invalid_argument for another name.
const PrintedDataset& table3_printed(std::string_view dataset);

}  // namespace pair::paper
