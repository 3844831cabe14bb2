#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "pair/base/manual.h"
#include "pair/base/options.h"

// Reference pages in Markdown, made from declarations: 'pair list KIND --markdown'. docs/objectives,
// docs/algorithms and docs/solvers hold them; scripts/reference writes them again.

namespace pair::cli {

struct Page {
  std::string name;     // of the extension; the file is NAME.md
  std::string summary;  // one line, for the index
  std::string text;     // the whole page, from its heading to the last line feed
};

// The pages of one kind.
struct Reference {
  std::string title;         // "Objectives"
  std::string introduction;  // Markdown, for the index
  std::vector<Page> pages;
};

// Parts of a page. Each ends with an empty line, or is the empty text if it has no content.
std::string page_head(std::string_view name, std::string_view summary);
std::string formula_part(std::string_view formula);
std::string cited_part(const std::vector<std::string>& cited);
std::string advice_part(std::string_view advice);
// A table of the options: name, default, accepted values, meaning and what sweeps draw.
std::string options_part(const base::Options& options, std::string_view heading = "Options");

Reference solvers_reference();
// These two are in programs with LibTorch.
Reference objectives_reference();
Reference algorithms_reference();

// Everything as one document: the index, then the pages.
void write_document(const Reference& reference, std::ostream& out);
// README.md, the index, and one NAME.md per page, into a folder, which is created if necessary. Throws
// base::FileError.
void write_pages(const Reference& reference, const std::filesystem::path& folder);

}  // namespace pair::cli
