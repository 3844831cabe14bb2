#pragma once

#include <string>
#include <vector>

namespace pair::base {

// Text for the reference page of an extension (docs/objectives, docs/algorithms, docs/solvers), in addition
// to its name, its summary and its options. A page leaves out the parts that are empty.
struct Manual {
  std::string formula = {};             // plain text, one line or several; a page shows it as it is
  std::vector<std::string> cited = {};  // one work each: Authors, "Title", venue year
  std::string advice = {};              // when to use it and what to watch out for; Markdown
};

}  // namespace pair::base
