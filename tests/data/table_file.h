#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "pair/data/table_spec.h"
#include "tests/data/fixtures.h"

// A table on disk.

namespace pair::data::testing {

// 30 rows in hospitals B, A and C, ten each; outcome is not constant anywhere.
inline std::string patients() {
  std::string text = "id,hospital,year,age,sex,outcome\n";
  for (int i = 0; i < 30; ++i) {
    text += "p" + std::to_string(i) + "," + "BAC"[i % 3] + "," + std::to_string(2019 + i % 2) + "," +
            (i % 7 == 0 ? "" : std::to_string(40 + i)) + "," + (i % 4 == 0 ? "F" : "M") + "," +
            (i % 5 < 2 ? "yes" : "no") + "\n";
  }
  return text;
}

class TableFile {
 public:
  explicit TableFile(std::string_view text = patients()) { write(file(), bytes_of(text)); }

  [[nodiscard]] std::filesystem::path file() const { return scratch_.path() / "x.csv"; }
  [[nodiscard]] TableSpec spec() const {
    return {.file = file().string(), .label = "outcome", .environment = {"hospital"}, .ignore = {"id"}};
  }

 private:
  Scratch scratch_;
};

}  // namespace pair::data::testing
