#include "pair/cli/lines.h"

namespace pair::cli {

LineReader::Found LineReader::next() {
  using Traits = std::streambuf::traits_type;
  line_.clear();
  Traits::int_type character = source_.sbumpc();
  if (Traits::eq_int_type(character, Traits::eof())) {
    return Found::end;
  }
  ++number_;
  Found found = Found::line;
  for (; !Traits::eq_int_type(character, Traits::eof()); character = source_.sbumpc()) {
    if (Traits::to_char_type(character) == '\n') {
      break;
    }
    if (line_.size() < longest_) {
      line_.push_back(Traits::to_char_type(character));
    } else {
      found = Found::too_long;
    }
  }
  return found;
}

}  // namespace pair::cli
