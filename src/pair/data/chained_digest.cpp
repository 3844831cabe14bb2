#include "pair/data/chained_digest.h"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>
#include <utility>

namespace pair::data {

struct ChainedDigest::Hash {
  Hash() : context(EVP_MD_CTX_new()) { require(context != nullptr); }
  Hash(const Hash&) = delete;
  Hash& operator=(const Hash&) = delete;
  ~Hash() { EVP_MD_CTX_free(context); }

  static void require(bool good) {
    if (!good) {
      throw std::runtime_error("OpenSSL could not compute a SHA-256 digest");
    }
  }

  void begin() { require(EVP_DigestInit_ex(context, EVP_sha256(), nullptr) == 1); }
  void add(std::string_view bytes) { require(EVP_DigestUpdate(context, bytes.data(), bytes.size()) == 1); }
  std::string end() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int length = 0;
    require(EVP_DigestFinal_ex(context, digest.data(), &length) == 1);
    constexpr std::string_view hex = "0123456789abcdef";
    std::string text;
    for (unsigned int i = 0; i < length; ++i) {
      text += hex[digest[i] >> 4U];
      text += hex[digest[i] & 15U];
    }
    return text;
  }

  EVP_MD_CTX* context;
};

ChainedDigest::ChainedDigest() : hash_(std::make_unique<Hash>()) {}
ChainedDigest::ChainedDigest(std::uint64_t lines, std::string digest)
    : hash_(std::make_unique<Hash>()), lines_(lines), digest_(std::move(digest)) {}
ChainedDigest::ChainedDigest(ChainedDigest&&) noexcept = default;
ChainedDigest& ChainedDigest::operator=(ChainedDigest&&) noexcept = default;
ChainedDigest::~ChainedDigest() = default;

void ChainedDigest::begin_line() {
  hash_->begin();
  hash_->add(digest_);
  has_half_line_ = true;
}

void ChainedDigest::add(std::string_view bytes) {
  while (!bytes.empty()) {
    if (!has_half_line_) {
      begin_line();
    }
    const std::size_t end = bytes.find('\n');
    hash_->add(bytes.substr(0, end));
    if (end == std::string_view::npos) {
      return;
    }
    digest_ = hash_->end();
    has_half_line_ = false;
    ++lines_;
    bytes.remove_prefix(end + 1);
  }
}

}  // namespace pair::data
