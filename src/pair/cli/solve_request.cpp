#include "pair/cli/solve_request.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <utility>

#include "pair/base/names.h"

namespace pair::cli {
namespace {

using nlohmann::json;

enum class Shape { text, vector, matrix, option };

struct FieldInfo {
  std::string_view name;
  Shape shape;
  std::string_view expected;
};

enum Name : std::size_t { losses, gram, gradients, preference, previous, solver };

constexpr std::array fields{
    FieldInfo{"losses", Shape::vector, "an array of numbers, one per objective"},
    FieldInfo{"gram", Shape::matrix, "an array of rows, each an array of numbers"},
    FieldInfo{"gradients", Shape::matrix, "an array of gradients, each an array of numbers"},
    FieldInfo{"preference", Shape::vector, "an array of positive numbers, one per objective"},
    FieldInfo{"previous", Shape::vector, "an array of the last step's weights, one per objective"},
    FieldInfo{"solver", Shape::text, "the name of a solver (see 'pair list solvers')"},
};

std::string shortened(std::string_view text) {
  constexpr std::size_t longest_shown = 40;
  return base::shortened(text, longest_shown) +
         (text.size() > longest_shown ? " (" + std::to_string(text.size()) + " characters)" : "");
}

std::string shortened_in_quotes(std::string_view text) {
  return "'" + base::printable(shortened(text)) + "'";
}

// The token around the last character read, such as a number or a name.
std::string_view word_at(std::string_view line, std::size_t read) {
  const auto in_word = [line](std::size_t i) {
    return std::isalnum(static_cast<unsigned char>(line[i])) != 0 ||
           std::string_view("+-._").find(line[i]) != std::string_view::npos;
  };
  std::size_t first = std::min(read, line.size());
  std::size_t last = first;
  while (first > 0 && in_word(first - 1)) {
    --first;
  }
  while (last > first && last < line.size() && in_word(last)) {
    ++last;
  }
  return line.substr(first, last - first);
}

// Python's json and others write these, although JSON does not allow them.
bool spells_non_finite(std::string_view word) {
  constexpr std::array spellings{"nan", "-nan", "inf", "-inf", "+inf", "infinity", "-infinity", "+infinity"};
  return std::ranges::find(spellings, base::lower_case(word)) != spellings.end();
}

struct Given {
  bool given = false;
  std::vector<double> numbers;
  std::vector<std::size_t> row_lengths;  // of a matrix
  std::string text;
  std::optional<base::Value> plain;  // of an option that is not a list
};

// Receives the line's values from nlohmann's parser. No document is built: it would lose which field was
// given twice and where a number was too large, and would take more memory than the numbers of a long line.
class Reader {
 public:
  Reader(std::string_view line, const PreparedSolvers& solvers)
      : line_(line),
        solvers_(solvers),
        given_(fields.size() + solvers.options().size()),
        current_(given_.size()) {}

  SolveRequest finish();

  // The interface that json::sax_parse calls.
  bool null() { return refuse_unless_ignored("null"); }
  bool boolean(bool value) { return take_plain(value) || refuse_unless_ignored(value ? "true" : "false"); }
  bool number_integer(std::int64_t value) {
    return take_plain(value) || number(static_cast<double>(value), std::to_string(value));
  }
  bool number_unsigned(std::uint64_t value) {
    return take_plain(value) || number(static_cast<double>(value), std::to_string(value));
  }
  bool number_float(double value, const std::string& text) {
    return (text.size() <= longest_number && take_plain(value)) || number(value, text);
  }
  bool string(std::string& value);
  bool binary(json::binary_t&) { return refuse_unless_ignored("binary"); }
  bool start_object(std::size_t);
  bool key(std::string& name);
  bool end_object();
  bool start_array(std::size_t);
  bool end_array();
  bool parse_error(std::size_t position, const std::string& token, const json::exception& error);

 private:
  [[nodiscard]] std::string place() const;
  // The names of all fields; where the current one, or one of that name, is among them.
  [[nodiscard]] std::string_view name_of(std::size_t field) const {
    return field < fields.size() ? fields[field].name : option(field).name;
  }
  [[nodiscard]] std::size_t place_of(std::string_view name) const;
  [[nodiscard]] std::vector<std::string_view> names() const;
  [[nodiscard]] const base::Field& option(std::size_t field) const {
    return *solvers_.options()[field - fields.size()].field;
  }
  [[nodiscard]] Shape shape() const {
    return current_ < fields.size() ? fields[current_].shape : Shape::option;
  }
  [[nodiscard]] bool ignored() const { return in_object_ && current_ == given_.size(); }
  // How many arrays may be open around a number of the current field.
  [[nodiscard]] std::size_t depth_of_numbers() const {
    return shape() == Shape::matrix ? 2 : shape() == Shape::text ? 0 : 1;
  }
  // Keeps the value of an option that is not a list; false if the current field is not such an option.
  template <class Plain>
  bool take_plain(const Plain& value) {
    if (!in_object_ || ignored() || shape() != Shape::option || open_arrays_ > 0) {
      return false;
    }
    given_[current_].plain = base::Value(value);
    return true;
  }
  bool number(double value, const std::string& text);
  bool refuse_unless_ignored(const std::string& shown) const;
  void count_element() {
    if (open_arrays_ > 0) {
      ++index_[open_arrays_ - 1];
    }
  }

  [[nodiscard]] const Given& required(Name name) const;
  [[nodiscard]] std::vector<double> gram_as_given(std::size_t m) const;
  [[nodiscard]] std::vector<double> gram_of_gradients(std::size_t m) const;
  [[nodiscard]] std::shared_ptr<const moo::Solver> solver_of_line() const;

  std::string_view line_;
  const PreparedSolvers& solvers_;
  std::vector<Given> given_;  // one per field, then one per option
  std::vector<std::pair<std::string, std::size_t>>
      slips_;  // an unknown field, the known one that it resembles
  bool in_object_ = false;
  std::size_t current_;  // given_.size(): one that is ignored
  std::string current_name_;
  std::size_t ignored_open_ = 0;  // arrays and objects open inside an ignored field
  std::size_t open_arrays_ = 0;   // open inside a field that is read
  std::array<std::size_t, 2> index_{};
};

std::size_t Reader::place_of(std::string_view name) const {
  std::size_t field = 0;
  while (field < given_.size() && name_of(field) != name) {
    ++field;
  }
  return field;
}

std::vector<std::string_view> Reader::names() const {
  std::vector<std::string_view> names;
  for (std::size_t field = 0; field < given_.size(); ++field) {
    names.push_back(name_of(field));
  }
  return names;
}

// "gram[1][2]", for messages.
std::string Reader::place() const {
  if (!in_object_) {
    return "the line";
  }
  std::string result = ignored() ? shortened_in_quotes(current_name_) : current_name_;
  for (std::size_t i = 0; i < open_arrays_; ++i) {
    result += "[" + std::to_string(index_[i]) + "]";
  }
  return result;
}

bool Reader::refuse_unless_ignored(const std::string& shown) const {
  if (ignored()) {
    return true;
  }
  if (in_object_ && shape() == Shape::option) {
    throw BadLine(place() + ": expected " + option(current_).expectation() + ", got " + shown);
  }
  std::string_view expected = "one JSON object";
  if (in_object_) {
    const bool whole = open_arrays_ == 0;
    expected = whole                               ? fields[current_].expected
               : open_arrays_ < depth_of_numbers() ? "an array of numbers"
                                                   : "a number";
  }
  throw BadLine(place() + ": expected " + std::string(expected) + ", got " + shown);
}

bool Reader::number(double value, const std::string& text) {
  if (ignored()) {
    return true;
  }
  if (!in_object_ || shape() == Shape::text || open_arrays_ != depth_of_numbers()) {
    return refuse_unless_ignored(shortened(text));
  }
  if (text.size() > longest_number) {
    throw BadLine(place() + ": expected a number of at most " + std::to_string(longest_number) +
                  " characters, got " + shortened(text));
  }
  given_[current_].numbers.push_back(value);
  count_element();
  return true;
}

bool Reader::string(std::string& value) {
  if (take_plain(value)) {
    return true;
  }
  if (!in_object_ || ignored() || shape() != Shape::text) {
    return refuse_unless_ignored(shortened_in_quotes(value));
  }
  given_[current_].text = std::move(value);
  return true;
}

bool Reader::start_object(std::size_t) {
  if (!in_object_) {
    in_object_ = true;
    return true;
  }
  refuse_unless_ignored("an object");
  ++ignored_open_;
  return true;
}

bool Reader::key(std::string& name) {
  if (ignored_open_ > 0) {
    return true;
  }
  current_ = place_of(name);
  if (current_ < given_.size()) {
    if (std::exchange(given_[current_].given, true)) {
      throw BadLine(name + ": expected once, got twice");
    }
  } else if (const std::string_view known = base::nearest(name, names()); !known.empty()) {
    slips_.emplace_back(name, place_of(known));
  }
  current_name_ = std::move(name);
  return true;
}

bool Reader::end_object() {
  if (ignored_open_ > 0) {
    --ignored_open_;
  }
  return true;
}

bool Reader::start_array(std::size_t) {
  if (ignored()) {
    ++ignored_open_;
    return true;
  }
  if (!in_object_ || open_arrays_ >= depth_of_numbers()) {
    return refuse_unless_ignored("an array");
  }
  index_[open_arrays_++] = 0;
  return true;
}

bool Reader::end_array() {
  if (ignored()) {
    --ignored_open_;
    return true;
  }
  --open_arrays_;
  if (open_arrays_ == 1) {
    given_[current_].row_lengths.push_back(index_[1]);
  }
  count_element();
  return true;
}

bool Reader::parse_error(std::size_t position, const std::string& token, const json::exception& error) {
  constexpr int number_overflow = 406;  // nlohmann's
  if (error.id == number_overflow) {
    throw BadLine(place() + ": expected a number up to 1.7976931348623157e308, got " + shortened(token));
  }
  const std::string where = in_object_ && current_name_.empty() ? "the start" : place();
  if (in_object_ && position > line_.size()) {
    throw BadLine("the line ends early, at " + where + "; expected one complete JSON object per line");
  }
  const std::string_view word = word_at(line_, position);
  if (spells_non_finite(word)) {
    throw BadLine(where + ": expected a finite number, got " + std::string(word));
  }
  throw BadLine("the line is not JSON: unexpected " +
                shortened_in_quotes(word.empty() ? std::string_view(token) : word) + " at column " +
                std::to_string(position) + ", near " + where + "; expected one JSON object per line");
}

const Given& Reader::required(Name name) const {
  if (!given_[name].given) {
    throw BadLine(std::string(fields[name].name) + " is missing; expected " +
                  std::string(fields[name].expected));
  }
  return given_[name];
}

void require_rows(std::string_view name, std::size_t rows, std::size_t m) {
  if (rows != m) {
    throw BadLine(std::string(name) + ": expected " + std::to_string(m) + " rows, one per objective, got " +
                  std::to_string(rows));
  }
}

std::vector<double> Reader::gram_as_given(std::size_t m) const {
  const Given& field = given_[gram];
  require_rows("gram", field.row_lengths.size(), m);
  for (std::size_t i = 0; i < m; ++i) {
    if (field.row_lengths[i] != m) {
      throw BadLine("gram[" + std::to_string(i) + "]: expected " + std::to_string(m) +
                    " values, since a Gram matrix is square, got " + std::to_string(field.row_lengths[i]));
    }
  }
  return field.numbers;
}

std::vector<double> Reader::gram_of_gradients(std::size_t m) const {
  const Given& field = given_[gradients];
  require_rows("gradients", field.row_lengths.size(), m);
  const std::size_t length = field.row_lengths.front();
  if (length == 0) {
    throw BadLine("gradients[0]: expected at least one value, got none");
  }
  for (std::size_t i = 0; i < m; ++i) {
    if (field.row_lengths[i] != length) {
      throw BadLine("gradients[" + std::to_string(i) + "]: expected " + std::to_string(length) +
                    " values, as in gradients[0], got " + std::to_string(field.row_lengths[i]));
    }
  }
  return moo::gram_of(field.numbers, m);
}

std::shared_ptr<const moo::Solver> Reader::solver_of_line() const {
  const PreparedSolver& prepared =
      given_[solver].given ? solvers_.named(given_[solver].text) : solvers_.chosen();
  std::optional<base::Options> options;
  for (std::size_t field = fields.size(); field < given_.size(); ++field) {
    const base::Field* const own = given_[field].given ? prepared.options.find(name_of(field)) : nullptr;
    if (own == nullptr) {
      continue;
    }
    if (!options) {
      options = prepared.options;
    }
    const base::Value value = given_[field].plain.value_or(base::Value(given_[field].numbers));
    if (!own->set(options->address(), value)) {
      throw BadLine(own->name + ": expected " + own->expectation() + ", got " +
                    shortened_in_quotes(base::as_text(value)));
    }
  }
  return options ? std::shared_ptr<const moo::Solver>(prepared.entry->make(*options)) : prepared.solver;
}

SolveRequest Reader::finish() {
  for (const auto& [name, resembled] : slips_) {
    if (!given_[resembled].given) {
      throw BadLine(base::unknown_name("field", name, names()));
    }
  }
  SolveRequest request;
  request.losses = required(losses).numbers;
  request.preference = required(preference).numbers;
  request.previous = given_[previous].numbers;
  if (given_[gram].given && given_[gradients].given) {
    throw BadLine("expected either gram or gradients, got both");
  }
  if (!given_[gram].given && !given_[gradients].given) {
    throw BadLine(
        "gram is missing; expected the Gram matrix of the gradients, or the gradients themselves in a field "
        "'gradients'");
  }
  const std::size_t m = request.losses.size();
  if (m >= moo::min_objectives && m <= moo::max_objectives) {
    request.gram = given_[gram].given ? gram_as_given(m) : gram_of_gradients(m);
  }
  request.solver = solver_of_line();
  return request;
}

}  // namespace

SolveRequest read_request(std::string_view line, const PreparedSolvers& solvers) {
  if (line.starts_with("\xef\xbb\xbf")) {
    line.remove_prefix(3);  // a byte-order mark, which some editors write
  }
  if (const std::size_t first = line.find_first_not_of(" \t"); first < line.size() && line[first] == '[') {
    throw BadLine(
        "the line: expected one JSON object per line, got an array (jq -c '.[]' converts an array to lines)");
  }
  Reader reader(line, solvers);
  json::sax_parse(line.begin(), line.end(), &reader);
  return reader.finish();
}

}  // namespace pair::cli
