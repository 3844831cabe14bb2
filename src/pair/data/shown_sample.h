#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pair/data/bytes.h"

// A sample as people recognise it: by its name and a small view of its content. Texts are as files have them,
// cut at a character's end.

namespace pair::data {

class Source;
struct TableSpec;
struct TextSpec;

struct ShownSample {
  static constexpr std::size_t longest_name = 300;  // bytes, as below
  static constexpr std::size_t longest_text = 300;
  static constexpr std::size_t longest_cell = 60;
  static constexpr std::size_t most_cells = 16;
  static constexpr std::int64_t picture_side = 96;  // pixels of the longer side

  std::string name;       // a path below the source's root, or "line 12"
  std::string text = {};  // the beginning of a text
  std::vector<std::pair<std::string, std::string>> cells = {};  // of a table's row: column and cell
  std::size_t cells_left_out = 0;                               // columns that are not in `cells`
  Bytes picture = {};  // a JPEG file; empty if it is not an image or cannot be read
};

// Samples of a source, with pictures if its samples are images (pictures = true).
std::vector<ShownSample> shown_samples(const Source& source, std::span<const std::size_t> samples,
                                       bool pictures);

// Rows of a table, from 0, in any order. Reads the file again up to the last of them. Throws
// std::invalid_argument if the file is not the one of spec.file_sha256, or has fewer rows.
std::vector<ShownSample> shown_rows(const TableSpec& spec, std::span<const std::size_t> rows);
// The same for texts.
std::vector<ShownSample> shown_texts(const TextSpec& spec, std::span<const std::size_t> rows);

// At most `longest` bytes of UTF-8 text; "…" marks a cut.
std::string cut_text(std::string_view text, std::size_t longest);

}  // namespace pair::data
