#include "pair/data/sha256.h"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>

namespace pair::data {

std::string sha256(BytesView bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("OpenSSL could not compute a SHA-256 digest");
  }
  constexpr std::string_view hex = "0123456789abcdef";
  std::string text;
  for (unsigned int i = 0; i < length; ++i) {
    text += hex[digest[i] >> 4U];
    text += hex[digest[i] & 15U];
  }
  return text;
}

}  // namespace pair::data
