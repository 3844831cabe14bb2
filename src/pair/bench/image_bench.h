#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "pair/bench/bench.h"
#include "pair/train/precision.h"
#include "pair/train/settings.h"

// The parts of 'pair bench images' (images.cpp). Each adds its results to one JSON object.

namespace pair::bench {

struct ImagesArguments {
  std::vector<std::string> parts;
  std::string device = "cpu";
  std::string model;       // empty: resnet50 on a CUDA device, resnet18 on the CPU
  std::int64_t batch = 0;  // 0: 32 on a CUDA device, 4 on the CPU
  std::int64_t side = 0;   // 0: 224 on a CUDA device, 96 on the CPU
  std::int64_t threads = 1;
  int workers = -1;  // -1: the cores
  int rounds = 5;
  int steps = 0;  // 0: 10 on a CUDA device, 2 on the CPU
  std::string python = {};
  bool json = false;
};

bool wants(const ImagesArguments& arguments, std::string_view part);
// That the device has.
std::vector<train::Precision> precisions_of(const ImagesArguments& arguments);
train::Settings image_settings(const ImagesArguments& arguments, const std::string& algorithm,
                               train::Precision precision);

// The following take arguments with all defaults filled in.

// decode: decoding and augmenting files, as training does (image_decoding.cpp).
void bench_decoding(const ImagesArguments& arguments, Context& context, nlohmann::ordered_json& result);
// step and loader: steps on images in memory and, for the loader, on images from files (image_steps.cpp).
void bench_image_steps(const ImagesArguments& arguments, Context& context, nlohmann::ordered_json& result);
// list: listing a million empty files, which are not opened (image_folders.cpp).
void bench_listing(Context& context, nlohmann::ordered_json& result);
// memory: a few steps on 100,000 images, which are hard links to a few files (image_folders.cpp).
void bench_image_memory(const ImagesArguments& arguments, Context& context, nlohmann::ordered_json& result);

// The results as text (image_tables.cpp).
void write_images_text(const nlohmann::ordered_json& result, std::ostream& out);

}  // namespace pair::bench
