#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "pair/bench/image_bench.h"
#include "pair/bench/measure.h"
#include "pair/bench/photographs.h"
#include "pair/bench/temporary_folder.h"
#include "pair/data/bytes.h"
#include "pair/data/image_folder.h"
#include "pair/data/images.h"
#include "pair/train/trainer.h"

// Large folders of images.

namespace pair::bench {

namespace {

namespace fs = std::filesystem;

constexpr int folders = 40;  // 4 environments of 10 classes

fs::path new_class_folder(const fs::path& images, int number) {
  fs::path folder =
      images / ("environment" + std::to_string(number / 10)) / ("class" + std::to_string(number % 10));
  fs::create_directories(folder);
  return folder;
}

}  // namespace

void bench_listing(Context& context, nlohmann::ordered_json& result) {
  constexpr int files = 25'000;
  const TemporaryFolder folder;
  context.err << "writing " << folders * files << " files to " << folder.path().string() << '\n'
              << std::flush;
  for (int i = 0; i < folders; ++i) {
    const fs::path into = new_class_folder(folder.path(), i);
    for (int k = 0; k < files; ++k) {
      std::ofstream(into / (std::to_string(k) + ".jpg"));
    }
  }
  const double before = peak_megabytes();
  std::optional<data::ImageFolder> pictures;
  const double seconds = seconds_of([&] { pictures.emplace(folder.path()); });
  result["list"] = {
      {"files", pictures->size()}, {"seconds", seconds}, {"megabytes", peak_megabytes() - before}};
}

void bench_image_memory(const ImagesArguments& arguments, Context& context, nlohmann::ordered_json& result) {
  constexpr int links = 2500;
  const TemporaryFolder folder;
  context.err << "writing " << folders * links << " links to " << folder.path().string() << '\n'
              << std::flush;
  const data::Bytes jpeg = to_jpeg(photograph(96, 128, 1));
  for (int i = 0; i < folders; ++i) {
    const fs::path into = new_class_folder(folder.path() / "images", i);
    // One file per folder, because file systems limit the links to a file.
    const fs::path original = into / "original.jpg";
    std::ofstream file(original, std::ios::binary);
    file.write(reinterpret_cast<const char*>(jpeg.data()), static_cast<std::streamsize>(jpeg.size()));
    file.close();
    for (int k = 1; k < links; ++k) {
      fs::create_hard_link(original, into / (std::to_string(k) + ".jpg"));
    }
  }
  data::ImagesOptions options;
  options.folder = (folder.path() / "images").string();
  options.image_size = 64;
  options.augment = data::ImageAugmentation::domainbed;
  options.workers = arguments.workers;
  std::shared_ptr<const data::EnvironmentSet> set;
  const double listed = seconds_of(
      [&] { set = std::make_shared<const data::EnvironmentSet>(data::make_images(options, 0, "images")); });
  ImagesArguments small = arguments;
  small.model = "resnet18";
  small.batch = 8;
  train::Trainer trainer(set, image_settings(small, "pair", train::Precision::fp32), 0,
                         torch::Device(arguments.device));
  for (int i = 0; i < 5; ++i) {
    trainer.advance();
  }
  result["memory"] = {{"images", folders * links},
                      {"seconds_to_list", listed},
                      {"model", small.model},
                      {"steps", 5},
                      {"peak_mb", peak_megabytes()}};
}

}  // namespace pair::bench
