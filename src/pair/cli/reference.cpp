#include "pair/cli/reference.h"

#include <algorithm>
#include <ostream>

#include "pair/base/files.h"
#include "pair/base/tables.h"

namespace pair::cli {
namespace {

std::string as_code(std::string_view text) {
  return text.empty() ? "" : "`" + std::string(text) + "`";
}

std::string drawn_from(const base::Field& field) {
  return field.domainbed ? base::as_text(*field.domainbed) : "";
}

std::string index_of(const Reference& reference) {
  base::Rows rows{{"name", "summary"}};
  for (const Page& page : reference.pages) {
    rows.push_back({"[`" + page.name + "`](" + page.name + ".md)", page.summary});
  }
  return "# " + reference.title + "\n\n" + reference.introduction + "\n\n" + base::markdown(rows);
}

}  // namespace

std::string page_head(std::string_view name, std::string_view summary) {
  std::string sentence(summary);
  // Not a name such as irmv1, which is written in lower case.
  const std::string_view first = summary.substr(0, summary.find(' '));
  if (std::all_of(first.begin(), first.end(), [](char c) { return c >= 'a' && c <= 'z'; })) {
    sentence.front() = static_cast<char>(sentence.front() - 'a' + 'A');
  }
  return "# " + std::string(name) + "\n\n" + sentence + ".\n\n";
}

std::string formula_part(std::string_view formula) {
  return formula.empty() ? "" : "```\n" + std::string(formula) + "\n```\n\n";
}

std::string cited_part(const std::vector<std::string>& cited) {
  if (cited.empty()) {
    return "";
  }
  std::string text = "## References\n\n";
  for (const std::string& work : cited) {
    text += "- " + work + ".\n";
  }
  return text + "\n";
}

std::string advice_part(std::string_view advice) {
  return advice.empty() ? "" : "## When to use it\n\n" + std::string(advice) + "\n\n";
}

std::string options_part(const base::Options& options, std::string_view heading) {
  if (options.fields().empty()) {
    return "";
  }
  base::Rows rows{{"option", "default", "accepted", "meaning", "sweeps draw"}};
  for (const base::Field& field : options.fields()) {
    rows.push_back({as_code(field.name), as_code(base::as_text(options.get(field))), field.accepted,
                    field.summary, drawn_from(field)});
  }
  return "## " + std::string(heading) + "\n\n" + base::markdown(rows) + "\n";
}

void write_document(const Reference& reference, std::ostream& out) {
  out << index_of(reference);
  for (const Page& page : reference.pages) {
    out << '\n' << page.text;
  }
}

void write_pages(const Reference& reference, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw base::FileError("create", folder, error.message(), error.value());
  }
  base::write_output(folder / "README.md", index_of(reference));
  for (const Page& page : reference.pages) {
    base::write_output(folder / (page.name + ".md"), page.text);
  }
}

}  // namespace pair::cli
