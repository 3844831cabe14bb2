#include "pair/data/bert_text.h"

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace pair::data {
namespace {

// Whether the character is in this version of Unicode: later ones have no properties in the fast tokenizer.
bool is_in_unicode(int version, UChar32 character) {
  UVersionInfo age{};
  u_charAge(character, &age[0]);
  return age[0] > 0 && age[0] <= version;
}

constexpr int version_of_categories = 8;      // of the crate unicode_categories 0.1.1
constexpr int version_of_decompositions = 9;  // of unicode-normalization-alignments 0.1.12

std::int8_t category_of(UChar32 character) {
  // Those that later versions have changed: letters, marks and punctuation of Canadian syllabics, Hanunoo,
  // Mongolian, Javanese and Sharada.
  switch (character) {
    case 0x166D:
    case 0x111C9:
      return U_OTHER_PUNCTUATION;
    case 0x1734:
      return U_NON_SPACING_MARK;
    case 0x1885:
    case 0x1886:
      return U_OTHER_LETTER;
    case 0xA9BD:
      return U_COMBINING_SPACING_MARK;
    default:
      return is_in_unicode(version_of_categories, character) ? u_charType(character)
                                                             : static_cast<std::int8_t>(U_UNASSIGNED);
  }
}

bool is_dropped(UChar32 character) {
  constexpr UChar32 replacement = 0xFFFD;
  if (character == 0 || character == replacement) {
    return true;
  }
  const std::int8_t category = category_of(character);
  return category == U_CONTROL_CHAR || category == U_FORMAT_CHAR || category == U_PRIVATE_USE_CHAR;
}

bool is_ideograph(UChar32 c) {
  // The fast tokenizer's ranges. Its fifth extension starts at 2B920; in BERT's own code, at 2B820.
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x20000 && c <= 0x2A6DF) ||
         (c >= 0x2A700 && c <= 0x2B73F) || (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

constexpr char dropped_byte = '\0';

// ASCII: what becomes of each character.
constexpr std::array<char, 128> ascii_forms = [] {
  std::array<char, 128> forms{};
  for (std::size_t c = 0; c < forms.size(); ++c) {
    const char same = static_cast<char>(c);
    if (same == ' ' || same == '\t' || same == '\n' || same == '\r') {
      forms[c] = ' ';
    } else if (c < 32 || c == 127) {
      forms[c] = dropped_byte;
    } else {
      forms[c] = same >= 'A' && same <= 'Z' ? static_cast<char>(same - 'A' + 'a') : same;
    }
  }
  return forms;
}();

const UNormalizer2& decomposer() {
  UErrorCode error = U_ZERO_ERROR;
  const UNormalizer2* const instance = unorm2_getNFDInstance(&error);
  if (U_FAILURE(error)) {
    throw std::runtime_error(std::string("ICU has no canonical decompositions: ") + u_errorName(error));
  }
  return *instance;
}

// Steps 2 to 5 of a stream of characters.
class BertNormaliser {
 public:
  explicit BertNormaliser(std::string& to) : to_(&to), decomposer_(&decomposer()) {}

  void add(std::string_view text) {
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    const auto size = static_cast<std::int32_t>(text.size());
    std::int32_t at = 0;
    while (at < size) {
      if (bytes[at] < 128) {
        const char form = ascii_forms[bytes[at++]];
        if (form != dropped_byte) {
          put_ascii(form);
        }
        continue;
      }
      UChar32 character = 0;
      U8_NEXT_OR_FFFD(bytes, at, size, character);
      add(character);
    }
    flush();
  }

 private:
  struct Mark {
    UChar32 character;
    std::uint8_t combining_class;
  };

  void put_ascii(char c) {
    if (!marks_.empty()) {
      flush();
    }
    to_->push_back(c);
  }

  void add(UChar32 character) {
    if (is_dropped(character)) {
      return;
    }
    if (u_isUWhiteSpace(character)) {
      put_ascii(' ');
    } else if (is_ideograph(character)) {
      put_ascii(' ');
      decompose(character);
      put_ascii(' ');
    } else {
      decompose(character);
    }
  }

  void decompose(UChar32 character) {
    // The longest canonical decomposition has four characters.
    std::array<UChar, 16> parts{};
    UErrorCode error = U_ZERO_ERROR;
    const std::int32_t size = is_in_unicode(version_of_decompositions, character)
                                  ? unorm2_getDecomposition(decomposer_, character, parts.data(),
                                                            static_cast<std::int32_t>(parts.size()), &error)
                                  : -1;
    if (size < 0 || U_FAILURE(error)) {
      put(character);
      return;
    }
    for (std::int32_t at = 0; at < size;) {
      UChar32 part = 0;
      U16_NEXT(parts.data(), at, size, part);
      put(part);
    }
  }

  // Canonical order: marks of different classes are sorted by class.
  void put(UChar32 character) {
    const std::uint8_t combining_class =
        is_in_unicode(version_of_decompositions, character) ? u_getCombiningClass(character) : 0;
    if (combining_class != 0) {
      marks_.push_back({character, combining_class});
      return;
    }
    flush();
    emit(character);
  }

  void flush() {
    std::ranges::stable_sort(marks_, {}, &Mark::combining_class);
    for (const Mark& mark : marks_) {
      emit(mark.character);
    }
    marks_.clear();
  }

  void emit(UChar32 character) {
    if (category_of(character) == U_NON_SPACING_MARK) {
      return;
    }
    const UChar32 lower = u_tolower(character);
    std::array<char, U8_MAX_LENGTH> bytes{};
    std::size_t size = 0;
    U8_APPEND_UNSAFE(bytes.data(), size, lower);
    to_->append(bytes.data(), size);
  }

  std::string* to_;
  const UNormalizer2* decomposer_;
  std::vector<Mark> marks_;  // since the last character of class 0
};

}  // namespace

bool is_bert_punctuation(std::int32_t character) {
  switch (category_of(character)) {
    case U_DASH_PUNCTUATION:
    case U_START_PUNCTUATION:
    case U_END_PUNCTUATION:
    case U_CONNECTOR_PUNCTUATION:
    case U_OTHER_PUNCTUATION:
    case U_INITIAL_PUNCTUATION:
    case U_FINAL_PUNCTUATION:
      return true;
    default:
      return false;
  }
}

void append_normalised_for_bert(std::string_view text, std::string& to) {
  BertNormaliser(to).add(text);
}

}  // namespace pair::data
