#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace pair::data {

// The digest of the lines of a growing file. The digest of no lines is empty. Each further line gives the
// SHA-256 of the previous digest, in hexadecimal, followed by the line without its end. The cost of a line
// does not depend on the number of lines before it.
class ChainedDigest {
 public:
  ChainedDigest();
  // Continues from the digest of lines that were added before.
  ChainedDigest(std::uint64_t lines, std::string digest);
  ChainedDigest(const ChainedDigest&) = delete;
  ChainedDigest& operator=(const ChainedDigest&) = delete;
  ChainedDigest(ChainedDigest&&) noexcept;
  ChainedDigest& operator=(ChainedDigest&&) noexcept;
  ~ChainedDigest();

  // Adds the next bytes of a file, in pieces of any size. A line counts once its end has been added.
  void add(std::string_view bytes);

  [[nodiscard]] std::uint64_t lines() const { return lines_; }
  // The digest of the complete lines.
  [[nodiscard]] const std::string& digest() const { return digest_; }
  // Whether bytes without a line end follow.
  [[nodiscard]] bool has_half_line() const { return has_half_line_; }

 private:
  struct Hash;

  void begin_line();

  std::unique_ptr<Hash> hash_;
  std::uint64_t lines_ = 0;
  std::string digest_;
  bool has_half_line_ = false;
};

}  // namespace pair::data
