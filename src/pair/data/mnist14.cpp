#include <zstd.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "pair/data/digits.h"
#include "pair/data/idx.h"
#include "pair/data/sha256.h"

// The assembler embeds the asset into the object file, at no compile-time cost; CMake provides its path as
// PAIR_MNIST14.
asm(R"(
  .pushsection .rodata
  .balign 16
  .globl pair_mnist14_begin
  .hidden pair_mnist14_begin
  .globl pair_mnist14_end
  .hidden pair_mnist14_end
pair_mnist14_begin:
  .incbin ")" PAIR_MNIST14 R"("
pair_mnist14_end:
  .byte 0
  .popsection
)");

extern "C" {
extern const std::uint8_t pair_mnist14_begin[];
extern const std::uint8_t pair_mnist14_end[];
}

namespace pair::data {
namespace {

constexpr std::size_t images_bytes = 16 + std::size_t{60'000} * 14 * 14;
constexpr std::size_t labels_bytes = 8 + 60'000;
// The digest of the unpacked bytes, so that repacking with another zstd changes nothing.
constexpr std::string_view known_sha256 = "182cd1c86228156413c647c6b22a601006e5a4da7fc2cdfcafcc016e53fea2a1";

}  // namespace

Digits unpack_mnist14(BytesView compressed) {
  constexpr std::size_t expected = images_bytes + labels_bytes;
  const auto refuse = [](const std::string& why) {
    throw std::runtime_error("the embedded digits (mnist14.zst) are damaged: " + why);
  };
  if (ZSTD_getFrameContentSize(compressed.data(), compressed.size()) != expected) {
    refuse("expected a zstd frame of " + std::to_string(expected) + " bytes");
  }
  Bytes bytes(expected);
  const std::size_t got = ZSTD_decompress(bytes.data(), bytes.size(), compressed.data(), compressed.size());
  if (ZSTD_isError(got) != 0) {
    refuse(std::string("zstd says '") + ZSTD_getErrorName(got) + "'");
  }
  if (const std::string found = sha256(bytes); got != expected || found != known_sha256) {
    refuse("their SHA-256 is " + found + ", not " + std::string(known_sha256));
  }
  const BytesView view(bytes);
  return parse_idx(view.first(images_bytes), "mnist14.zst (images)", view.subspan(images_bytes),
                   "mnist14.zst (labels)");
}

Digits embedded_mnist14() {
  return unpack_mnist14({pair_mnist14_begin, pair_mnist14_end});
}

}  // namespace pair::data
