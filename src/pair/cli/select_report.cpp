#include "pair/cli/select_report.h"

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "pair/base/names.h"
#include "pair/base/numbers.h"
#include "pair/base/tables.h"
#include "pair/cli/select_choices.h"
#include "pair/report/number.h"

namespace pair::cli {
namespace {

using nlohmann::ordered_json;
using report::counted;
using select::Candidate;
using select::Decision;
using select::Selection;
using select::Table;

// A table of which every figure is missing says nothing.
std::vector<Table> shown_tables(const Selection& selection, const SelectReport& report) {
  return selection.decisions.empty() ? std::vector<Table>() : tables_of(selection, report.histories.history);
}

std::string csv_number(double value) {
  return value == value ? base::shown(value) : "";
}

// place: index of the candidate, 0 for the chosen one.
std::vector<std::string> csv_row(const Selection& selection, const Decision& decision, std::size_t place) {
  const Candidate& candidate = decision.candidates[place];
  std::string losses;
  for (std::size_t i = 0; i < candidate.losses.size(); ++i) {
    losses += (i == 0 ? "" : ";") + decision.losses[i] + "=" + csv_number(candidate.losses[i]);
  }
  const auto number = [](int value) { return std::to_string(value); };
  const auto setting = [](const auto& hparam) { return hparam.first + "=" + hparam.second; };
  return {selection.criterion,
          base::printable(decision.dataset),
          base::printable(decision.algorithm),
          std::to_string(decision.trial_seed),
          base::joined(decision.test_envs, ";", number),
          base::printable(candidate.run->name),
          std::to_string(candidate.run->hparams_seed),
          std::to_string(candidate.run->steps[candidate.record]),
          csv_number(candidate.validation),
          base::joined(candidate.tests, ";", csv_number),
          csv_number(candidate.score),
          losses,
          base::joined(candidate.run->hparams, ";", setting),
          std::to_string(place + 1)};
}

void write_csv_line(const std::vector<std::string>& words, std::ostream& out) {
  out << base::joined(words, ",", base::csv_value) << '\n';
}

ordered_json to_json(const Table& table) {
  ordered_json rows = ordered_json::array();
  for (const select::TableRow& row : table.rows) {
    ordered_json figures = ordered_json::array();
    for (const auto& figure : row.figures) {
      figures.push_back(figure ? ordered_json{{"mean", figure->mean}, {"error", figure->error}}
                               : ordered_json(nullptr));
    }
    rows.push_back({{"algorithm", row.algorithm},
                    {"figures", std::move(figures)},
                    {"average", row.average ? ordered_json(*row.average) : ordered_json(nullptr)}});
  }
  return {{"dataset", table.dataset.empty() ? ordered_json(nullptr) : ordered_json(table.dataset)},
          {"columns", table.columns},
          {"rows", std::move(rows)}};
}

ordered_json to_json(const Decision& decision, const Candidate& candidate) {
  ordered_json hparams = ordered_json::object();
  for (const auto& [name, value] : candidate.run->hparams) {
    hparams[name] = ordered_json::parse(value, nullptr, /*allow_exceptions=*/false);
  }
  ordered_json object{{"run", candidate.run->name},
                      {"hparams_seed", candidate.run->hparams_seed},
                      {"step", candidate.run->steps[candidate.record]},
                      {"validation", candidate.validation},
                      {"accuracies", candidate.tests},
                      {"hparams", std::move(hparams)}};
  if (!decision.losses.empty()) {
    object["score"] = candidate.score;
    object["above_bar"] = candidate.above_bar;
    for (std::size_t i = 0; i < decision.losses.size(); ++i) {
      object["losses"][decision.losses[i]] = candidate.losses[i];
    }
  }
  return object;
}

ordered_json to_json(const Decision& decision, bool explain) {
  ordered_json object{{"dataset", decision.dataset},
                      {"algorithm", decision.algorithm},
                      {"trial_seed", decision.trial_seed},
                      {"test_envs", decision.test_envs},
                      {"chosen", to_json(decision, decision.chosen())}};
  if (!decision.losses.empty()) {
    object["losses"] = decision.losses;
    object["preference"] = decision.preference;
    object["bar"] = decision.bar;
    object["decided_by"] = decision.by_test ? "test" : decision.by_validation ? "validation" : "score";
  }
  if (explain) {
    for (const Candidate& candidate : decision.candidates) {
      object["candidates"].push_back(to_json(decision, candidate));
    }
  }
  return object;
}

}  // namespace

void write_text(const SelectReport& report, std::ostream& out) {
  const VaryingHparams hparams(report.histories.history);
  out << counted(report.histories.history.size(), "run") << ", "
      << counted(report.histories.records, "record") << "\n";
  for (const Selection& selection : report.selections) {
    for (const Table& table : shown_tables(selection, report)) {
      out << '\n' << as_text(table);
      if (const std::string x = explanation_of_x(table); !x.empty()) {
        out << x << '\n';
      }
    }
  }
  for (const Selection& selection : report.selections) {
    out << "\n-------- Chosen: " << selection.title << "\n";
    if (selection.decisions.empty()) {
      out << "nothing\n";
      continue;
    }
    out << aligned(choice_rows(selection, hparams), "");
    for (const Decision& decision : selection.decisions) {
      if (report.explain) {
        out << '\n'
            << explanation(decision, report.percentile) << '\n'
            << aligned(candidate_rows(decision, hparams), "  ");
      }
    }
  }
}

void write_markdown(const SelectReport& report, std::ostream& out) {
  const VaryingHparams hparams(report.histories.history);
  const char* separator = "";
  for (const Selection& selection : report.selections) {
    for (const Table& table : shown_tables(selection, report)) {
      out << separator << "### " << base::printable(table.heading) << "\n\n" << select::as_markdown(table);
      if (const std::string x = explanation_of_x(table); !x.empty()) {
        out << '\n' << x << '\n';
      }
      separator = "\n";
    }
    out << separator << "### Chosen: " << selection.title << "\n\n";
    separator = "\n";
    out << (selection.decisions.empty() ? "nothing\n" : as_markdown(choice_rows(selection, hparams)));
    for (const Decision& decision : selection.decisions) {
      if (report.explain) {
        out << '\n'
            << explanation(decision, report.percentile) << ".\n\n"
            << as_markdown(candidate_rows(decision, hparams));
      }
    }
  }
}

void write_latex(const SelectReport& report, std::ostream& out) {
  out << "\\documentclass{article}\n\\usepackage{booktabs}\n\\usepackage{adjustbox}\n\\begin{document}\n"
      << "% Total records: " << report.histories.records << '\n';
  for (const Selection& selection : report.selections) {
    if (selection.decisions.empty()) {
      out << "% " << selection.title << ": nothing could be chosen\n";
      continue;
    }
    out << "\n\\subsection{Model selection: " << select::latex_escaped(selection.title) << "}\n";
    for (const Table& table : tables_of(selection, report.histories.history)) {
      out << '\n' << as_latex(table);
    }
  }
  out << "\n\\end{document}\n";
}

void write_csv(const SelectReport& report, std::ostream& out) {
  write_csv_line({"criterion", "dataset", "algorithm", "trial_seed", "test_envs", "run", "hparams_seed",
                  "step", "validation", "accuracy", "score", "losses", "hparams", "rank"},
                 out);
  for (const Selection& selection : report.selections) {
    for (const Decision& decision : selection.decisions) {
      const std::size_t count = report.explain ? decision.candidates.size() : 1;
      for (std::size_t i = 0; i < count; ++i) {
        write_csv_line(csv_row(selection, decision, i), out);
      }
    }
  }
}

void write_json(const SelectReport& report, std::ostream& out) {
  ordered_json left_out = ordered_json::array();
  for (const select::Omission& omission : report.histories.left_out) {
    ordered_json lines = ordered_json::array();
    if (omission.line > 0) {
      lines.push_back({{"line", omission.line}, {"what", omission.what}});
    }
    for (const select::BadLine& next : omission.next_lines) {
      lines.push_back({{"line", next.line}, {"what", next.what}});
    }
    left_out.push_back({{"path", omission.path.string()},
                        {"line", omission.line > 0 ? ordered_json(omission.line) : ordered_json(nullptr)},
                        {"what", omission.what},
                        {"more_lines", omission.more_lines},
                        {"lines", std::move(lines)},
                        {"lines_not_listed", omission.more_lines - omission.next_lines.size()}});
  }
  ordered_json failed = ordered_json::array();
  for (const select::FailedRun& run : report.histories.failed) {
    failed.push_back({{"run", run.folder.string()}, {"reason", run.reason}});
  }
  ordered_json criteria = ordered_json::array();
  for (const Selection& selection : report.selections) {
    ordered_json tables = ordered_json::array();
    for (const Table& table : tables_of(selection, report.histories.history)) {
      tables.push_back(to_json(table));
    }
    ordered_json choices = ordered_json::array();
    for (const Decision& decision : selection.decisions) {
      choices.push_back(to_json(decision, report.explain));
    }
    criteria.push_back({{"criterion", selection.criterion},
                        {"title", selection.title},
                        {"tables", std::move(tables)},
                        {"choices", std::move(choices)},
                        {"notes", selection.notes}});
  }
  const ordered_json all{{"runs", report.histories.history.size()},
                         {"records", report.histories.records},
                         {"left_out", std::move(left_out)},
                         {"not_done", report.histories.not_done},
                         {"failed", std::move(failed)},
                         {"criteria", std::move(criteria)}};
  out << all.dump(1, ' ', false, ordered_json::error_handler_t::replace) << '\n';
}

}  // namespace pair::cli
