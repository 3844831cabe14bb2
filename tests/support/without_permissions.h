#pragma once

#include <unistd.h>

#include <stdexcept>

namespace pair::tests {

// While it lives, permissions of files count: a process of root's acts as somebody else. Make the files
// first.
class WithoutPermissions {
 public:
  WithoutPermissions() : was_(::geteuid()) {
    constexpr uid_t nobody = 65534;
    if (was_ == 0 && ::seteuid(nobody) != 0) {
      throw std::runtime_error("cannot act as another user");
    }
  }
  WithoutPermissions(const WithoutPermissions&) = delete;
  WithoutPermissions& operator=(const WithoutPermissions&) = delete;
  ~WithoutPermissions() { (void)!::seteuid(was_); }

 private:
  uid_t was_;
};

}  // namespace pair::tests
