#include "tools/ferry/serve/socket.h"

#include <gtest/gtest.h>

namespace ferry::cli {
namespace {

TEST(SocketTest, LoopbackIsThisMachineAlone) {
  for (const char* name : {"localhost", "Localhost", "127.0.0.1", "127.8.9.10", "::1"})
    EXPECT_TRUE(IsLoopback(name)) << name;
  for (const char* name : {"", "127.0.0.1.example.com", "127.example.com", "localhost.example.com",
                           "127.0.0", "0.0.0.0", "128.0.0.1", "::", "::2", "[::1]"})
    EXPECT_FALSE(IsLoopback(name)) << name;
}

}  // namespace
}  // namespace ferry::cli
