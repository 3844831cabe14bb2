#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Files of comma-separated values as RFC 4180 defines them, row by row in bounded memory.
//
// Why not a library: Debian has no CSV library for C++ that is header-only or small, streams, and names the
// bad line. Arrow's is the one that is fast enough, and it brings 100 MB of shared libraries. A row here
// costs about a nanosecond per byte; 'pair bench table' compares with pandas.
//
// Format:
// - UTF-8, with or without a byte order mark. Lines end in LF, CRLF or CR.
// - The separator is a comma, a semicolon or a tab. It is found from the first rows: the one that
//   gives all of them the same number of fields, and the most.
// - A field that begins with a quote ends with one. Within it, separators and line ends are text, and two
//   quotes are one. A quote anywhere else is an error: guessing would misread the rest of the file.
// - Empty lines are skipped. Every other row has as many fields as the first.
// Spaces are part of a field, as in RFC 4180.

namespace pair::data {

struct CsvOptions {
  char separator = '\0';                             // ',', ';' or '\t'; '\0': found from the first rows
  std::size_t longest_row = std::size_t{64} << 20U;  // bytes. A quote that is never closed is found by it
  std::size_t block = std::size_t{1} << 20U;         // bytes per read. At least 1
  std::size_t sample = std::size_t{1} << 16U;        // maximum number of bytes for finding the separator
  bool pipes = false;                                // whether a path may be that of a pipe or a device
};

// Fills the bytes from the front and returns how many it filled, 0 at the end.
using CsvSource = std::function<std::size_t(std::span<char>)>;

// A file, which may be gzipped: its first bytes show whether it is. Throws std::invalid_argument if it is
// missing, cannot be opened or is not a regular file (with `pipes`: nor a pipe or a device), and, when read,
// std::runtime_error if the disk or the gzip stream fails.
CsvSource csv_file(const std::filesystem::path& path, bool pipes = false);
// The text must outlive the source.
CsvSource csv_text(std::string_view text);

// The kind of a file that is not text, by its first bytes: "a PNG image", "a ZIP archive, such as an .xlsx
// file", or "a binary file". Empty for text, also in another encoding than UTF-8; but UTF-16 without a byte
// order mark may be "a binary file".
std::string binary_kind(std::string_view start);
// The same for a file, gzipped or not. Empty if it cannot be read.
std::string binary_kind_of_file(const std::filesystem::path& path);

class CsvReader {
 public:
  // `name` is used in error messages. Reads the first block to find the separator.
  CsvReader(CsvSource source, const std::string& name, CsvOptions options = {});
  // A file under its own name. Throws std::invalid_argument "NAME: expected a CSV file, got a PNG image" for
  // a file that is not text (binary_kind).
  explicit CsvReader(const std::filesystem::path& path, CsvOptions options = {});

  // Reads a row; false after the last one. Throws std::invalid_argument "patients.csv, line 12: expected ...,
  // got ..." for a row that is not as above. Nothing can be read after that.
  bool next();

  // The fields of the current row without quotes, and the number of its first line, from 1. Valid until the
  // next call of next().
  [[nodiscard]] std::span<const std::string_view> fields() const { return fields_; }
  [[nodiscard]] std::size_t line() const { return line_; }

  [[nodiscard]] char separator() const { return separator_; }
  [[nodiscard]] const std::string& name() const { return name_; }

  // Throws std::invalid_argument "NAME, line LINE: SENTENCE" about the row just read.
  [[noreturn]] void refuse(const std::string& sentence) const;

 private:
  struct Piece {  // of the buffer
    const char* first;
    const char* last;
    bool quoted;   // was quoted; the quotes are not part of it
    bool escapes;  // has doubled quotes
  };
  enum class Scan { row, empty, more };  // a whole row; an empty line; more bytes are needed

  void begin();
  bool fill();
  Scan scan();
  void check_utf8(const char* first, const char* last) const;
  void finish_row();
  [[noreturn]] void refuse_at(std::size_t line, const std::string& sentence) const;

  CsvSource source_;
  std::string name_;
  CsvOptions options_;
  char separator_ = ',';
  std::vector<unsigned char> special_;  // per byte, whether it may end a run of plain text

  std::vector<char> buffer_;  // one byte more than can be filled: a zero that ends every scan
  std::size_t begin_ = 0;     // of what has not been given out
  std::size_t end_ = 0;       // of what has been read
  bool ended_ = false;        // the source has no more

  std::vector<Piece> pieces_;
  std::vector<std::string_view> fields_;
  const char* row_end_ = nullptr;  // of the row that scan() found, its line end included
  std::size_t row_lines_ = 0;      // lines that it takes
  std::size_t width_ = 0;          // fields per row; 0: the first row is still to come
  std::size_t first_line_ = 0;     // of the first row
  std::size_t line_ = 0;
  std::size_t next_line_ = 1;
};

}  // namespace pair::data
