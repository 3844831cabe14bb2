#include "pair/data/table_encoding.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

#include "pair/base/names.h"
#include "pair/base/tables.h"
#include "pair/data/cell.h"
#include "pair/data/table.h"

namespace pair::data {
namespace {

enum class CellFound { known, missing, unknown };

// The inputs of one cell: as many as the column has, zeros before.
CellFound encode_cell(std::string_view text, const ColumnEncoding& column, std::span<float> inputs) {
  const std::string_view cell = trimmed_cell(text);
  if (is_missing(cell)) {
    if (column.missing) {
      inputs.back() = 1.0F;
    }
    return CellFound::missing;
  }
  if (column.kind == ColumnKind::number) {
    const std::optional<double> number = number_of(cell);
    if (!number || !std::isfinite(*number)) {
      throw std::invalid_argument(named_column(column.name) + ": expected a number or nothing, got '" +
                                  base::printable(cell.substr(0, 40)) + "'");
    }
    inputs.front() = standardised(*number, column.mean, column.deviation);
    return CellFound::known;
  }
  const auto found = std::lower_bound(column.categories.begin(), column.categories.end(), cell);
  if (found == column.categories.end() || *found != cell) {
    return CellFound::unknown;
  }
  inputs[static_cast<std::size_t>(found - column.categories.begin())] = 1.0F;
  return CellFound::known;
}

// Whether a missing cell has inputs of its own or a mean, rather than the zeros of an unknown category.
bool knows_missing(const ColumnEncoding& column) {
  return column.kind == ColumnKind::number || column.missing;
}

std::string shown_category(std::string_view text) {
  return base::printable(base::shortened(text, 40));
}

// "F, M", or "a, b, c, d, e and 7 more".
std::string some_categories(const std::vector<std::string>& categories) {
  constexpr std::size_t most = 5;
  const std::size_t count = std::min(categories.size(), most);
  const std::string text = base::joined(std::span(categories).first(count), ", ", shown_category);
  return categories.size() > count ? text + " and " + std::to_string(categories.size() - count) + " more"
                                   : text;
}

}  // namespace

std::string_view to_string(TableTask task) {
  return task == TableTask::classification ? "classification" : "regression";
}

std::size_t TableEncoding::width() const {
  return std::accumulate(columns.begin(), columns.end(), std::size_t{0},
                         [](std::size_t sum, const ColumnEncoding& column) { return sum + column.width(); });
}

std::vector<std::string> TableEncoding::input_names() const {
  std::vector<std::string> names;
  for (const ColumnEncoding& column : columns) {
    if (column.kind == ColumnKind::number) {
      names.push_back(column.name);
    }
    for (const std::string& category : column.categories) {
      names.push_back(column.name + "=" + category);
    }
    if (column.missing) {
      names.push_back(column.name + " is missing");
    }
  }
  return names;
}

void TableEncoding::encode(std::span<const std::string_view> cells, std::span<float> inputs,
                           CellCounts* counts) const {
  if (cells.size() != columns.size() || inputs.size() != width()) {
    throw std::invalid_argument("a row: expected " + std::to_string(columns.size()) + " cells and room for " +
                                std::to_string(width()) + " inputs, got " + std::to_string(cells.size()) +
                                " and " + std::to_string(inputs.size()));
  }
  std::fill(inputs.begin(), inputs.end(), 0.0F);
  if (counts != nullptr) {
    ++counts->rows;
    counts->columns.resize(columns.size());
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::size_t width = columns[i].width();
    const CellFound found = encode_cell(cells[i], columns[i], inputs.first(width));
    inputs = inputs.subspan(width);
    if (counts != nullptr) {
      CellCounts::OfColumn& column = counts->columns[i];
      if (found == CellFound::missing) {
        ++column.missing;
        column.unknown += knows_missing(columns[i]) ? 0 : 1;
      } else if (found == CellFound::unknown) {
        ++column.unknown;
        if (column.example.empty()) {
          column.example = trimmed_cell(cells[i]);
        }
      }
    }
  }
}

std::vector<std::string> warnings_about(const CellCounts& counts, const TableEncoding& encoding) {
  std::vector<std::string> warnings;
  const std::string rows = std::to_string(counts.rows);
  for (std::size_t i = 0; i < counts.columns.size(); ++i) {
    const CellCounts::OfColumn& column = counts.columns[i];
    const ColumnEncoding& known = encoding.columns[i];
    const std::string named = named_column(known.name);
    const auto share = [&](std::size_t cells, const char* one, const char* several) {
      return named + ": " + std::to_string(cells) + " of " + rows +
             (counts.rows == 1 ? " cell " : " cells ") + (cells == 1 ? one : several);
    };
    const std::size_t missing = knows_missing(known) ? 0 : column.missing;  // of the unknown ones
    if (const std::size_t texts = column.unknown - missing; texts > 0) {
      warnings.push_back(
          share(texts, "has", "have") + " a category that the training rows do not have, such as '" +
          shown_category(column.example) + "' (known: " + some_categories(known.categories) + ")");
    }
    if (counts.lacks(i)) {
      warnings.push_back(named + ": all " + rows + " cells are missing");
    } else if (missing > 0) {
      warnings.push_back(share(missing, "is", "are") + " missing; no training row has a missing one");
    }
  }
  return warnings;
}

RowEncoder::RowEncoder(TableEncoding encoding, std::span<const std::string_view> names)
    : encoding_(std::move(encoding)) {
  const auto place_of = [names](const std::string& name) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (trimmed_cell(names[i]) == name) {
        return i;
      }
    }
    return npos;
  };
  std::vector<std::string> absent;
  for (const ColumnEncoding& column : encoding_.columns) {
    places_.push_back(place_of(column.name));
    if (places_.back() == npos) {
      absent.push_back(column.name);
    }
  }
  if (!absent.empty()) {
    const std::vector<std::string> present = named_columns(names);
    throw std::invalid_argument("columns: expected " + quoted_names(absent) +
                                ", which the model was trained on, got " + quoted_names(present) +
                                (absent.size() == 1 ? suggested_column(absent.front(), present) : ""));
  }
  label_place_ = place_of(encoding_.label.name);
  for (const std::string& name : encoding_.environment) {
    environment_places_.push_back(place_of(name));
  }
  if (std::find(environment_places_.begin(), environment_places_.end(), npos) != environment_places_.end()) {
    environment_places_.clear();
  }
  cells_.resize(places_.size());
}

void RowEncoder::encode(std::span<const std::string_view> fields, std::span<float> inputs,
                        CellCounts* counts) {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    cells_[i] = fields[places_[i]];
  }
  encoding_.encode(cells_, inputs, counts);
}

void encode_column(const Column& column, const ColumnEncoding& encoding, std::span<const std::size_t> rows,
                   float* inputs, std::size_t stride) {
  const std::size_t width = encoding.width();
  if (column.kind == ColumnKind::number) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double value = column.numbers[rows[i]];
      float* const to = inputs + i * stride;
      const bool missing = std::isnan(value);
      to[0] = missing ? 0.0F : standardised(value, encoding.mean, encoding.deviation);
      if (encoding.missing) {
        to[1] = missing ? 1.0F : 0.0F;
      }
    }
    return;
  }
  constexpr std::size_t none = RowEncoder::npos;
  std::vector<std::size_t> place(column.categories.size(), none);
  for (std::size_t code = 0; code < place.size(); ++code) {
    const auto found =
        std::lower_bound(encoding.categories.begin(), encoding.categories.end(), column.categories[code]);
    if (found != encoding.categories.end() && *found == column.categories[code]) {
      place[code] = static_cast<std::size_t>(found - encoding.categories.begin());
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    float* const to = inputs + i * stride;
    std::fill_n(to, width, 0.0F);
    const std::uint32_t code = column.codes[rows[i]];
    const std::size_t at = code != missing_category ? place[code] : encoding.missing ? width - 1 : none;
    if (at != none) {
      to[at] = 1.0F;
    }
  }
}

}  // namespace pair::data
