#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "pair/bench/image_bench.h"
#include "pair/bench/images_python.h"
#include "pair/bench/measure.h"
#include "pair/bench/photographs.h"
#include "pair/bench/python_child.h"
#include "pair/bench/spread.h"
#include "pair/bench/temporary_folder.h"
#include "pair/data/bytes.h"
#include "pair/data/image.h"
#include "pair/data/transform.h"

namespace pair::bench {
namespace {

// Work that takes about as long for Python: decoding and augmenting files, as training does.
class Decoding {
 public:
  explicit Decoding(bool fast) : fast_(fast) {}

  double seconds_per_image(const std::vector<std::filesystem::path>& files, int rounds) {
    const double began = cpu_seconds();
    for (int round = 0; round < rounds; ++round) {
      for (const std::filesystem::path& file : files) {
        augment(data::read_bytes(file));
      }
    }
    return (cpu_seconds() - began) / (rounds * static_cast<double>(files.size()));
  }

 private:
  static constexpr std::int64_t target = 224;

  data::DrawnAugmentation drawn(std::int64_t rows, std::int64_t columns) {
    const auto uniform = [this] { return std::uniform_real_distribution<double>(0.0, 1.0)(random_); };
    data::DrawnAugmentation result =
        data::draw_augmentation(data::domainbed_augmentation, rows, columns, uniform);
    result.flip = uniform() < 0.5;
    return result;
  }

  void augment(const data::Bytes& file) {
    if (!fast_) {
      const data::Image image = data::decode_image(file);
      last_ = data::augmented(image, target, target, drawn(image.rows, image.columns));
      return;
    }
    data::DrawnAugmentation chosen;
    const data::ImagePart part = data::decode_part(file, [&](std::int64_t rows, std::int64_t columns) {
      chosen = drawn(rows, columns);
      return data::WantedPart{chosen.crop, target, target};
    });
    last_ = data::augmented(part, target, target, chosen);
  }

  bool fast_;
  std::mt19937_64 random_{0};
  data::Image last_;
};

}  // namespace

void bench_decoding(const ImagesArguments& arguments, Context& context, nlohmann::ordered_json& result) {
  struct Size {
    std::int64_t rows;
    std::int64_t columns;
  };
  const std::unique_ptr<PythonChild> python = PythonChild::start(arguments.python, transforms_python);
  if (!python) {
    result["decode_python_missing"] =
        "not measured: no Python with torchvision and Pillow (Debian: python3-torchvision, "
        "python3-pil)";
    context.err << "python: " << result["decode_python_missing"].get<std::string>() << '\n' << std::flush;
  } else {
    result["decode_python"] = {{"torchvision_and_pillow", python->greeting()}, {"python", python->python()}};
  }
  result["decode"] = nlohmann::ordered_json::array();
  for (const Size size : {Size{227, 227}, Size{375, 500}, Size{768, 1024}}) {
    const TemporaryFolder folder;
    write_photographs(
        folder.path(),
        {.environments = 1, .classes = 1, .images = 8, .rows = size.rows, .columns = size.columns});
    std::vector<std::filesystem::path> files;
    std::string line = "2";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
      if (entry.is_regular_file()) {
        files.push_back(entry.path());
        line += " " + entry.path().string();
      }
    }
    Decoding fast(true);
    Decoding exact(false);
    std::map<std::string, std::vector<double>> seconds;
    for (int round = 0; round <= arguments.rounds; ++round) {
      context.err << "decode " << size.columns << " x " << size.rows << ", round " << round << '\n'
                  << std::flush;
      const double ours = fast.seconds_per_image(files, 2);
      const double ours_exact = exact.seconds_per_image(files, 2);
      const double theirs = python ? python->ask_number(line) : 0.0;
      if (round > 0) {  // the first warms up
        seconds["fast"].push_back(ours);
        seconds["exact"].push_back(ours_exact);
        seconds["python"].push_back(theirs);
      }
    }
    nlohmann::ordered_json row{
        {"columns", size.columns},
        {"rows", size.rows},
        {"bytes", std::filesystem::file_size(files.front())},
        {"images_per_second_and_core",
         {{"fast", 1.0 / median(seconds["fast"])}, {"exact", 1.0 / median(seconds["exact"])}}}};
    if (python) {
      row["images_per_second_and_core"]["python"] = 1.0 / median(seconds["python"]);
      row["fast_over_python"] = median(seconds["python"]) / median(seconds["fast"]);
      row["exact_over_python"] = median(seconds["python"]) / median(seconds["exact"]);
    }
    result["decode"].push_back(row);
  }
}

}  // namespace pair::bench
