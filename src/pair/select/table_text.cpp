#include <algorithm>

#include "pair/base/names.h"
#include "pair/base/numbers.h"
#include "pair/base/tables.h"
#include "pair/select/table.h"

namespace pair::select {
namespace {

using Line = std::vector<std::string>;

std::string one_decimal(double value) {
  return base::with_decimals(value, 1);
}

std::string shown(const std::optional<MeanAndError>& figure, const char* plus_minus) {
  return figure ? one_decimal(figure->mean) + plus_minus + one_decimal(figure->error) : "X";
}

// The header and the rows.
std::vector<Line> lines_of(const Table& table, const char* plus_minus) {
  std::vector<Line> lines(1, Line{"Algorithm"});
  for (const std::string& column : table.columns) {
    lines[0].push_back(base::printable(column));
  }
  lines[0].emplace_back("Avg");
  for (const TableRow& row : table.rows) {
    Line line{base::printable(row.algorithm)};
    for (const std::optional<MeanAndError>& figure : row.figures) {
      line.push_back(shown(figure, plus_minus));
    }
    line.push_back(row.average ? one_decimal(*row.average) : "X");
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

std::string as_text(const Table& table) {
  // DomainBed's widths, unless a name is longer than its own are.
  const std::size_t width = table.dataset.empty() ? 25 : 20;
  return "-------- " + base::printable(table.heading) + "\n" +
         base::aligned(lines_of(table, " +/- "), {.least = width});
}

std::string explanation_of_x(const Table& table) {
  const bool any =
      std::any_of(table.rows.begin(), table.rows.end(), [](const TableRow& row) { return !row.average; });
  return any ? "X: no run was selected; a row with an X has no average." : "";
}

std::string latex_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\textbackslash{}";
    } else if (c == '^') {
      escaped += "\\textasciicircum{}";
    } else if (c == '~') {
      escaped += "\\textasciitilde{}";
    } else {
      escaped += std::string_view("%_&#${}").find(c) == std::string_view::npos ? "" : "\\";
      escaped += c;
    }
  }
  return escaped;
}

std::string as_latex(const Table& table) {
  std::string text =
      "\\subsubsection{" +
      (table.dataset.empty() ? std::string("Averages") : latex_escaped(base::printable(table.dataset))) +
      "}\n\n\\begin{center}\n\\adjustbox{max width=\\textwidth}{%\n\\begin{tabular}{l" +
      std::string(table.columns.size() + 1, 'c') + "}\n\\toprule\n";
  bool header = true;
  for (const Line& line : lines_of(table, " $\\pm$ ")) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string cell = header || i == 0 ? latex_escaped(line[i]) : line[i];
      text += (i == 0 ? "" : " & ") + (header ? "\\textbf{" + cell + "}" : cell);
    }
    text += header ? " \\\\\n\\midrule\n" : " \\\\\n";
    header = false;
  }
  return text + "\\bottomrule\n\\end{tabular}}\n\\end{center}\n";
}

std::string as_markdown(const Table& table) {
  return base::markdown(lines_of(table, " ± "), /*right=*/true);
}

}  // namespace pair::select
