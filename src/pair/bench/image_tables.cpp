#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "pair/base/numbers.h"
#include "pair/base/tables.h"
#include "pair/bench/image_bench.h"

namespace pair::bench {

void write_images_text(const nlohmann::ordered_json& result, std::ostream& out) {
  if (result.contains("decode")) {
    out << "Decoding and augmenting JPEGs to 224 x 224, images per second and core\n\n";
    base::Rows rows{{"pixels", "fast", "exact", "python", "fast / python"}};
    for (const auto& row : result["decode"]) {
      const auto& rates = row["images_per_second_and_core"];
      rows.push_back(
          {row["columns"].dump() + " x " + row["rows"].dump(), base::with_decimals(rates["fast"], 0),
           base::with_decimals(rates["exact"], 0),
           rates.contains("python") ? base::with_decimals(rates["python"], 0) : "-",
           row.contains("fast_over_python") ? base::with_decimals(row["fast_over_python"], 2) : "-"});
    }
    out << base::aligned(rows, {.indent = "  ", .gap = 3, .left = 1}) << '\n';
  }
  if (result.contains("step")) {
    const auto& step = result["step"];
    out << "One step of " << step["model"].get<std::string>() << " on " << step["device"].get<std::string>()
        << ", " << step["environments"] << " x " << step["images_per_environment"] << " images of "
        << step["side"] << " px, ms\n\n";
    base::Rows rows;
    for (const auto& [name, times] : step["milliseconds"].items()) {
      rows.push_back({name, base::with_decimals(times["median"], 2)});
    }
    if (step.contains("python")) {
      for (const auto& [name, times] : step["python"]["milliseconds"].items()) {
        rows.push_back({"python " + name, base::with_decimals(times["median"], 2)});
      }
    }
    out << base::aligned(rows, {.indent = "  ", .left = 1});
    if (step.contains("python")) {
      for (const auto& [name, ratio] : step["erm_over_python_default"].items()) {
        out << "\n  erm " << name << ": " << base::with_decimals(ratio, 2)
            << " of Python's step as torch ships, "
            << base::with_decimals(step["erm_over_python_same_precision"][name], 2) << " of its step in "
            << name;
      }
      out << '\n';
    } else {
      out << "  python: " << step["python_missing"].get<std::string>() << '\n';
    }
    for (const auto& [name, ratio] : step["pair_over_erm"].items()) {
      out << "  pair over erm in " << name << ": " << base::with_decimals(ratio, 3) << '\n';
    }
    out << '\n';
  }
  if (result.contains("loader")) {
    const auto& loading = result["loader"];
    out << "Steps on images from files, " << loading["workers"] << " workers, "
        << base::with_decimals(loading["images_per_second"], 0) << " images per second without steps\n\n";
    for (const auto& [name, times] : loading["milliseconds"].items()) {
      out << "  " << name << ": " << base::with_decimals(times["median"], 2) << " ms, busy "
          << base::with_decimals(100.0 * loading["busy"][name].get<double>(), 1) << "%\n";
    }
  }
  if (result.contains("list")) {
    const auto& list = result["list"];
    out << "Listing a folder of " << list["files"] << " files: " << base::with_decimals(list["seconds"], 2)
        << " s, " << base::with_decimals(list["megabytes"], 0) << " MB\n";
  }
  if (result.contains("memory")) {
    const auto& memory = result["memory"];
    out << "Training on " << memory["images"] << " images: listed in "
        << base::with_decimals(memory["seconds_to_list"], 2) << " s, peak memory "
        << base::with_decimals(memory["peak_mb"], 0) << " MB\n";
  }
  for (const char* const part : {"step", "loader"}) {
    if (result.contains(part) && result[part].contains("notices")) {
      for (const auto& notice : result[part]["notices"]) {
        out << "  " << notice.get<std::string>() << '\n';
      }
    }
  }
}

}  // namespace pair::bench
