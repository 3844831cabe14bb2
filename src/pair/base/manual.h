#pragma once

#include <string>
#include <vector>

namespace pair::base {

// Text for the reference page of an extension (docs/objectives, docs/algorithms, docs/solvers), in addition
// to its name, its summary and its options. Extensions of this project need all three parts, and a test
// demands them of each page; an algorithm's page takes those that are empty from its objectives where it can.
// A page of an extension that another program adds leaves out the parts that are empty.
struct Manual {
  std::string formula = {};             // plain text, one line or several; a page shows it as it is
  std::vector<std::string> cited = {};  // one work each: Authors, "Title", venue year
  std::string advice = {};              // when to use it and what to watch out for; Markdown
};

}  // namespace pair::base
