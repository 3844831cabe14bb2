#include "pair/watch/host_header.h"

#include <gtest/gtest.h>

namespace pair::watch::host_header_test {
namespace {

TEST(HostHeader, MayBeAnAddressOrLocalhost) {
  for (const char* header : {"127.0.0.1", "127.0.0.1:8080", "localhost", "LocalHost:1", "[::1]", "[::1]:80",
                             "10.0.0.7", "[fe80::1]:65535"}) {
    EXPECT_TRUE(accepts_host(header, "127.0.0.1")) << header;
  }
}

TEST(HostHeader, MayBeTheNameThatTheServerWasGiven) {
  EXPECT_TRUE(accepts_host("lab.example:80", "lab.example"));
  EXPECT_TRUE(accepts_host("LAB.example", "lab.example"));
  EXPECT_FALSE(accepts_host("lab.example", "127.0.0.1"));
}

TEST(HostHeader, IsNotAnotherName) {
  for (const char* header : {"", ":80", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example",
                             "1.2.3", "127.0.0.1:80:80", "127.0.0.1:x", "[::1", "[::1]x", "[evil]", "::1",
                             "localhost:123456", "localhost "}) {
    EXPECT_FALSE(accepts_host(header, "127.0.0.1")) << header;
  }
  EXPECT_FALSE(accepts_host(std::string_view("localhost\0.evil", 15), "127.0.0.1"));
}

}  // namespace
}  // namespace pair::watch::host_header_test
