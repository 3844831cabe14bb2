#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace pair::data {

// The digest of lines that a file grows by. The digest of no lines is empty; one more line gives the SHA-256
// of the digest so far, in hexadecimal, followed by the line without its end. So a line more costs a line,
// whatever came before.
class ChainedDigest {
 public:
  ChainedDigest();
  // Of lines that were added before; what follows is added to them.
  ChainedDigest(std::uint64_t lines, std::string digest);
  ChainedDigest(ChainedDigest&&) noexcept;
  ChainedDigest& operator=(ChainedDigest&&) noexcept;
  ~ChainedDigest();

  // A file's next bytes, in pieces of any size. A line counts once its end is there.
  void add(std::string_view bytes);

  [[nodiscard]] std::uint64_t lines() const { return lines_; }
  // Of the whole lines.
  [[nodiscard]] const std::string& digest() const { return digest_; }
  // Whether bytes follow that have no line's end.
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
