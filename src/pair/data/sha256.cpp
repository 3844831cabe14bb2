#include "pair/data/sha256.h"

#include <openssl/evp.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "pair/base/files.h"

namespace pair::data {
namespace {

constexpr const char* no_digest = "OpenSSL could not compute a SHA-256 digest";

std::string digest_text(std::span<const unsigned char> digest) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : digest) {
    text += hex[byte >> 4U];
    text += hex[byte & 15U];
  }
  return text;
}

}  // namespace

std::string sha256(BytesView bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error(no_digest);
  }
  return digest_text(std::span(digest).first(length));
}

std::string sha256(std::string_view text) {
  return sha256(BytesView(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

bool is_sha256(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_sha256_or_empty(std::string_view text) {
  return text.empty() || is_sha256(text);
}

std::string sha256_of_file(const std::filesystem::path& path, std::uint64_t limit) {
  base::RegularFile file(path, limit);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  if (context == nullptr || EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error(no_digest);
  }
  std::vector<char> piece(std::size_t{1} << 18U);
  while (const std::size_t got = file.read(piece.data(), piece.size())) {
    if (EVP_DigestUpdate(context.get(), piece.data(), got) != 1) {
      throw std::runtime_error(no_digest);
    }
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  if (EVP_DigestFinal_ex(context.get(), digest.data(), &length) != 1) {
    throw std::runtime_error(no_digest);
  }
  return digest_text(std::span(digest).first(length));
}

}  // namespace pair::data
