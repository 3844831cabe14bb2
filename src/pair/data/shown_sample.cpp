#include "pair/data/shown_sample.h"

#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>

#include "pair/base/names.h"
#include "pair/base/options.h"
#include "pair/data/csv.h"
#include "pair/data/image_writer.h"
#include "pair/data/sha256.h"
#include "pair/data/source.h"
#include "pair/data/table_spec.h"
#include "pair/data/text_spec.h"

namespace pair::data {
namespace {

Bytes small_picture(const Source& source, std::size_t sample) {
  try {
    const Image image = source.read(sample);
    const std::int64_t longer = std::max(image.rows, image.columns);
    if (longer <= ShownSample::picture_side) {
      return jpeg_bytes(image);
    }
    const auto side = [longer](std::int64_t pixels) {
      return std::max<std::int64_t>(1, (pixels * ShownSample::picture_side + longer / 2) / longer);
    };
    return jpeg_bytes(resized(image, side(image.rows), side(image.columns)));
  } catch (const std::exception&) {
    return {};  // a sample without its picture is better than none
  }
}

// Calls see(place in `rows`, reader) at each of the rows. names: the fields of the first row.
void visit_rows(const TableSpec& spec, std::span<const std::size_t> rows,
                const std::function<void(std::span<const std::string>)>& begin,
                const std::function<void(std::size_t, const CsvReader&)>& see) {
  if (!spec.file_sha256.empty() && sha256_of_file(spec.file) != spec.file_sha256) {
    throw std::invalid_argument(base::printable(spec.file) + " has changed since it was read");
  }
  std::multimap<std::size_t, std::size_t> places;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    places.emplace(rows[i], i);
  }
  CsvReader reader(spec.file, {.separator = separator_of(spec)});
  if (!reader.next()) {
    throw std::invalid_argument(base::printable(spec.file) + ": expected a row of column names, got nothing");
  }
  std::vector<std::string> names;
  for (const std::string_view name : reader.fields()) {
    names.emplace_back(base::trimmed(name));
  }
  begin(names);
  std::size_t row = 0;
  auto next = places.begin();
  for (; next != places.end() && reader.next(); ++row) {
    for (; next != places.end() && next->first == row; ++next) {
      see(next->second, reader);
    }
  }
  if (next != places.end()) {
    throw std::invalid_argument(base::printable(spec.file) + ": expected the row " +
                                std::to_string(next->first + 1) + ", got " + std::to_string(row) + " rows");
  }
}

std::string line_name(const CsvReader& reader) {
  return "line " + std::to_string(reader.line());
}

}  // namespace

std::string cut_text(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) {
    return std::string(text);
  }
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::vector<ShownSample> shown_samples(const Source& source, std::span<const std::size_t> samples,
                                       bool pictures) {
  std::vector<ShownSample> shown;
  shown.reserve(samples.size());
  for (const std::size_t sample : samples) {
    // The end of a long path says more than its beginning.
    const std::string id = source.sample(sample).id;
    std::size_t begin = id.size() > ShownSample::longest_name ? id.size() - ShownSample::longest_name : 0;
    while (begin > 0 && begin < id.size() && (static_cast<unsigned char>(id[begin]) & 0xC0U) == 0x80U) {
      ++begin;
    }
    shown.push_back({.name = (begin > 0 ? "…" : "") + id.substr(begin)});
    if (pictures) {
      shown.back().picture = small_picture(source, sample);
    }
  }
  return shown;
}

std::vector<ShownSample> shown_rows(const TableSpec& spec, std::span<const std::size_t> rows) {
  std::vector<ShownSample> shown(rows.size());
  std::vector<std::string> names;
  visit_rows(
      spec, rows, [&](std::span<const std::string> header) { names.assign(header.begin(), header.end()); },
      [&](std::size_t place, const CsvReader& reader) {
        ShownSample& sample = shown[place];
        sample.name = line_name(reader);
        for (std::size_t i = 0; i < names.size(); ++i) {
          if (sample.cells.size() == ShownSample::most_cells) {
            sample.cells_left_out = names.size() - i;
            break;
          }
          sample.cells.emplace_back(cut_text(names[i], ShownSample::longest_cell),
                                    cut_text(base::trimmed(reader.fields()[i]), ShownSample::longest_cell));
        }
      });
  return shown;
}

std::vector<ShownSample> shown_texts(const TextSpec& spec, std::span<const std::size_t> rows) {
  std::vector<ShownSample> shown(rows.size());
  std::size_t text = 0;
  visit_rows(
      rows_of(spec), rows,
      [&](std::span<const std::string> header) {
        text = static_cast<std::size_t>(std::ranges::find(header, spec.text) - header.begin());
        if (text == header.size()) {
          throw std::invalid_argument(base::printable(spec.file) + ": expected the column '" +
                                      base::printable(spec.text) + "', got none");
        }
      },
      [&](std::size_t place, const CsvReader& reader) {
        shown[place].name = line_name(reader);
        shown[place].text = cut_text(base::trimmed(reader.fields()[text]), ShownSample::longest_text);
      });
  return shown;
}

}  // namespace pair::data
