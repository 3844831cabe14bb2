#include "pair/data/csv.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

#include "pair/base/files.h"
#include "pair/base/names.h"

namespace pair::data {
namespace {

constexpr std::string_view csv_separators = ",;\t";
constexpr std::size_t rows_to_detect_by = 20;
constexpr std::size_t bytes_of_kind = 4096;  // by which binary_kind is found
constexpr unsigned char high_bit = 0x80;

std::string csv_separator_name(char separator) {
  return separator == '\t' ? "tab" : std::string(1, separator);
}

// Fields per row, as far as the text has whole rows, under one separator.
std::vector<std::size_t> widths_under(std::string_view text, char separator, bool whole) {
  std::vector<std::size_t> widths;
  std::size_t fields = 1;
  bool quoted = false;
  bool empty = true;  // the line
  for (const char c : text) {
    if (quoted) {
      quoted = c != '"';  // a doubled quote closes and opens again
    } else if (c == '\n' || c == '\r') {
      if (!empty) {
        widths.push_back(fields);
      }
      if (widths.size() == rows_to_detect_by) {
        return widths;
      }
      fields = 1;
      empty = true;
    } else {
      empty = false;
      quoted = c == '"';
      fields += c == separator ? 1 : 0;
    }
  }
  if (!empty && (whole || widths.empty())) {
    widths.push_back(fields);
  }
  return widths;
}

// The separator under which all rows have the same number of fields, and the most; else the one that the
// first row has most of.
char found_separator(std::string_view text, bool whole) {
  char best = ',';
  std::pair<bool, std::size_t> best_score{false, 1};
  for (const char separator : csv_separators) {
    const std::vector<std::size_t> widths = widths_under(text, separator, whole);
    if (widths.empty() || widths.front() < 2) {
      continue;
    }
    const bool even = std::all_of(widths.begin(), widths.end(),
                                  [&widths](std::size_t width) { return width == widths.front(); });
    const std::pair<bool, std::size_t> score{even, widths.front()};
    if (score > best_score) {
      best_score = score;
      best = separator;
    }
  }
  return best;
}

// The length of the UTF-8 character at `first`; 0 if there is none.
std::size_t csv_character(const unsigned char* first, const unsigned char* last) {
  const unsigned char lead = *first;
  if (lead < high_bit) {
    return 1;
  }
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || std::cmp_less(last - first, length)) {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if ((first[i] & 0xc0U) != high_bit) {
      return 0;
    }
  }
  const unsigned char second = first[1];
  const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool outside = (lead == 0xed && second >= 0xa0) || (lead == 0xf4 && second >= 0x90);
  return overlong || outside ? 0 : length;
}

bool csv_is_ascii(const char* first, const char* last) {
  constexpr std::uint64_t high_bits = 0x8080808080808080U;
  std::uint64_t seen = 0;
  for (; last - first >= 8; first += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, first, sizeof eight);
    seen |= eight;
  }
  for (; first < last; ++first) {
    seen |= static_cast<unsigned char>(*first);
  }
  return (seen & high_bits) == 0;
}

std::string csv_byte(unsigned char byte) {
  constexpr std::string_view digits = "0123456789abcdef";
  return {'0', 'x', digits[byte >> 4U], digits[byte & 15U]};
}

struct Signature {
  std::string_view bytes;
  const char* kind;
};

constexpr std::array<Signature, 11> signatures{{{"\x89PNG\r\n\x1a\n", "a PNG image"},
                                                {"\xff\xd8\xff", "a JPEG image"},
                                                {"GIF8", "a GIF image"},
                                                {"RIFF", "a WebP image or another RIFF file"},
                                                {"PK\x03\x04", "a ZIP archive, such as an .xlsx file"},
                                                {"\xd0\xcf\x11\xe0", "an older Office file, such as .xls"},
                                                {"%PDF-1.", "a PDF file"},
                                                {"PAR1", "a Parquet file"},
                                                {"$FL2", "a file of SPSS"},
                                                {"\x89HDF\r\n", "an HDF5 file"},
                                                {"\x93NUMPY", "a NumPy file"}}};

bool csv_is_utf8(std::string_view text) {
  const auto* at = reinterpret_cast<const unsigned char*>(text.data());
  const auto* const end = at + text.size();
  while (at < end) {
    const std::size_t length = csv_character(at, end);
    if (length == 0) {
      return end - at < 4;  // the text may be cut inside a character
    }
    at += length;
  }
  return true;
}

struct CloseGzip {
  void operator()(gzFile file) const { gzclose(file); }
};

}  // namespace

CsvSource csv_file(const std::filesystem::path& path, bool pipes) {
  const std::string shown = base::printable(path.string());
  if (const std::string fault = pipes ? base::stream_fault(path) : base::file_fault(path); !fault.empty()) {
    throw std::invalid_argument(shown + ": expected a CSV file, got a path that " + fault);
  }
  // zlib returns bytes unchanged if the file is not gzipped.
  const std::shared_ptr<gzFile_s> file(gzopen(path.c_str(), "rb"), CloseGzip());
  if (file == nullptr) {
    throw std::invalid_argument(shown +
                                ": expected a CSV file that can be read, got one that cannot be opened");
  }
  gzbuffer(file.get(), 1U << 18U);
  return [file, shown](std::span<char> bytes) {
    constexpr std::size_t most = std::size_t{1} << 30U;
    const int got = gzread(file.get(), bytes.data(), static_cast<unsigned>(std::min(bytes.size(), most)));
    int fault = Z_OK;
    const char* const reason = gzerror(file.get(), &fault);
    if (got < 0 || (fault != Z_OK && fault != Z_STREAM_END)) {
      throw std::runtime_error(
          shown + " cannot be read: " +
          (fault == Z_BUF_ERROR ? "its gzip stream is cut off" : base::printable(reason)));
    }
    return static_cast<std::size_t>(got);
  };
}

CsvSource csv_text(std::string_view text) {
  return [text](std::span<char> bytes) mutable {
    const std::size_t count = std::min(bytes.size(), text.size());
    std::copy_n(text.data(), count, bytes.data());
    text.remove_prefix(count);
    return count;
  };
}

std::string binary_kind(std::string_view start) {
  for (const Signature& signature : signatures) {
    // A CSV file may begin with RIFF, but not with RIFF and a zero byte.
    const bool letters = std::all_of(signature.bytes.begin(), signature.bytes.end(),
                                     [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); });
    if (start.starts_with(signature.bytes) && (!letters || start.find('\0') != std::string_view::npos)) {
      return signature.kind;
    }
  }
  // UTF-16, which has zero bytes, has an error message of its own.
  const bool marked = start.starts_with("\xff\xfe") || start.starts_with("\xfe\xff");
  const bool zeros = start.find('\0') != std::string_view::npos;
  return zeros && !marked && !csv_is_utf8(start) ? "a binary file" : "";
}

std::string binary_kind_of_file(const std::filesystem::path& path) {
  std::string start(bytes_of_kind, '\0');
  try {
    start.resize(csv_file(path)(start));
  } catch (const std::exception&) {
    return {};  // whoever reads it next says why
  }
  return binary_kind(start);
}

CsvReader::CsvReader(CsvSource source, const std::string& name, CsvOptions options)
    : source_(std::move(source)), name_(base::printable(name)), options_(options), special_(256, 0) {
  if (options_.separator != '\0' && csv_separators.find(options_.separator) == std::string_view::npos) {
    throw std::invalid_argument("separator: expected a comma, a semicolon or a tab, got '" +
                                base::printable(std::string(1, options_.separator)) + "'");
  }
  options_.block = std::max<std::size_t>(options_.block, 1);
  begin();
}

CsvReader::CsvReader(const std::filesystem::path& path, CsvOptions options)
    : CsvReader(csv_file(path, options.pipes), path.string(), options) {
  // The beginning that was already read: a pipe cannot be opened again.
  const std::string_view start(buffer_.data(), std::min(end_, bytes_of_kind));
  if (const std::string kind = binary_kind(start); !kind.empty()) {
    throw std::invalid_argument(name_ + ": expected a CSV file, got " + kind);
  }
}

// Enough to see what kind of text it is.
void CsvReader::begin() {
  constexpr std::size_t longest_mark = 3;
  while (end_ < std::max(options_.sample, longest_mark) && fill()) {
  }
  const std::string_view start(buffer_.data(), end_);
  if (start.starts_with("\xff\xfe") || start.starts_with("\xfe\xff")) {
    throw std::invalid_argument(name_ +
                                ": expected UTF-8, got UTF-16; 'iconv -f UTF-16 -t UTF-8' converts it");
  }
  begin_ = start.starts_with("\xef\xbb\xbf") ? 3 : 0;
  separator_ =
      options_.separator != '\0' ? options_.separator : found_separator(start.substr(begin_), ended_);
  for (const char c : {separator_, '"', '\n', '\r', '\0'}) {
    special_[static_cast<unsigned char>(c)] = 1;
  }
}

// Reads more bytes into the buffer; false at the end.
bool CsvReader::fill() {
  if (ended_) {
    return false;
  }
  const std::size_t kept = end_ - begin_;
  if (begin_ > 0) {
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
              buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
    begin_ = 0;
    end_ = kept;
  }
  // Twice as much for a row that does not fit, so that long rows take linear time.
  const std::size_t room = std::max(options_.block, kept);
  if (buffer_.size() < kept + room + 1) {
    buffer_.resize(kept + room + 1);
  }
  const std::size_t got = source_(std::span(buffer_).subspan(end_, room));
  end_ += got;
  buffer_[end_] = '\0';
  ended_ = got == 0;
  return !ended_;
}

// Finds the fields of the row at begin_ without changing the buffer. An incomplete row is scanned again
// later.
CsvReader::Scan CsvReader::scan() {
  const char* at = buffer_.data() + begin_;
  const char* const end = buffer_.data() + end_;
  const unsigned char* const special = special_.data();
  pieces_.clear();
  row_lines_ = 1;
  if (at == end) {
    return Scan::more;
  }
  const char* const row = at;
  for (;;) {
    Piece piece{at, at, false, false};
    std::size_t opened = 0;  // line of its opening quote
    if (*at == '"') {
      piece.quoted = true;
      piece.first = ++at;
      opened = next_line_ + row_lines_ - 1;
      for (;;) {
        const auto* const quote =
            static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(end - at)));
        if (quote == nullptr || (quote + 1 == end && !ended_)) {
          if (ended_) {
            refuse_at(opened, "expected a closing quote for field " + std::to_string(pieces_.size() + 1) +
                                  ", got the end of the file");
          }
          return Scan::more;
        }
        row_lines_ += static_cast<std::size_t>(std::count(at, quote, '\n'));
        if (quote + 1 < end && quote[1] == '"') {
          piece.escapes = true;
          at = quote + 2;
          continue;
        }
        piece.last = quote;
        at = quote + 1;
        break;
      }
    } else {
      while (special[static_cast<unsigned char>(*at)] == 0) {
        ++at;
      }
      piece.last = at;
    }
    const bool over = at == end;
    if (over && !ended_) {
      return Scan::more;
    }
    if (over || *at == separator_ || *at == '\n' || *at == '\r') {
      pieces_.push_back(piece);
      if (!over && *at == separator_) {
        ++at;
        if (at == end && !ended_) {
          return Scan::more;
        }
        continue;
      }
    } else {
      const std::size_t line = next_line_ + row_lines_ - 1;
      const std::string field = "field " + std::to_string(pieces_.size() + 1);
      if (*at == '\0') {
        refuse_at(line, "expected text, got a zero byte in " + field);
      }
      if (piece.quoted) {
        refuse_at(line, "expected a separator or the line's end after the closing quote of " + field +
                            ", which opens on line " + std::to_string(opened) + ", got '" +
                            base::printable(std::string_view(at, 1)) + "'");
      }
      refuse_at(line, "expected quotes around all of " + field +
                          " and each quote in it doubled, got a quote inside of it");
    }
    // The row's end.
    const char* after = at;
    if (!over && *at == '\r') {
      if (at + 1 == end && !ended_) {
        return Scan::more;
      }
      after += at + 1 < end && at[1] == '\n' ? 2 : 1;
    } else if (!over) {
      after += 1;
    }
    row_end_ = after;
    return at == row ? Scan::empty : Scan::row;
  }
}

void CsvReader::check_utf8(const char* first, const char* last) const {
  if (csv_is_ascii(first, last)) {
    return;
  }
  std::size_t line = line_;
  const auto* at = reinterpret_cast<const unsigned char*>(first);
  const auto* const end = reinterpret_cast<const unsigned char*>(last);
  while (at < end) {
    const std::size_t length = csv_character(at, end);
    if (length == 0) {
      refuse_at(line, "expected UTF-8, got byte " + csv_byte(*at) +
                          "; 'iconv -f WINDOWS-1252 -t UTF-8' converts western European text");
    }
    line += *at == '\n' ? 1 : 0;
    at += length;
  }
}

void CsvReader::finish_row() {
  line_ = next_line_;
  next_line_ += row_lines_;
  check_utf8(buffer_.data() + begin_, row_end_);
  fields_.resize(pieces_.size());
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const Piece& piece = pieces_[i];
    const char* last = piece.last;
    if (piece.escapes) {
      // In place: a field is never longer without its doubled quotes.
      char* const start = buffer_.data() + (piece.first - buffer_.data());
      char* to = start;
      for (const char* from = start; from < last; ++from) {
        *to++ = *from;
        from += *from == '"' ? 1 : 0;
      }
      last = to;
    }
    fields_[i] = {piece.first, static_cast<std::size_t>(last - piece.first)};
  }
  begin_ = static_cast<std::size_t>(row_end_ - buffer_.data());
  if (width_ == 0) {
    width_ = fields_.size();
    first_line_ = line_;
  } else if (fields_.size() != width_) {
    refuse("expected " + std::to_string(width_) + (width_ == 1 ? " field" : " fields") + " as in line " +
           std::to_string(first_line_) + " (separator " + csv_separator_name(separator_) + "), got " +
           std::to_string(fields_.size()));
  }
}

bool CsvReader::next() {
  for (;;) {
    switch (scan()) {
      case Scan::row:
        finish_row();
        return true;
      case Scan::empty:
        begin_ = static_cast<std::size_t>(row_end_ - buffer_.data());
        ++next_line_;
        break;
      case Scan::more:
        if (end_ - begin_ > options_.longest_row) {
          refuse_at(next_line_, "expected a row of at most " + std::to_string(options_.longest_row) +
                                    " bytes, got a longer one; a quote may not be closed");
        }
        if (!fill() && begin_ == end_) {
          return false;
        }
        break;
    }
  }
}

void CsvReader::refuse(const std::string& sentence) const {
  refuse_at(line_, sentence);
}

void CsvReader::refuse_at(std::size_t line, const std::string& sentence) const {
  throw std::invalid_argument(name_ + ", line " + std::to_string(line) + ": " + sentence);
}

}  // namespace pair::data
