#include "cloud-server/console/console.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

namespace ferry::server::console {
namespace {

const std::string kFolder = FERRY_SOURCE_DIR "/cloud-server/console/pages";

TEST(ConsoleTest, EveryFileIsServedAsItIs) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    const Page* page = ContentOf("/" + entry.path().filename().string());
    ASSERT_NE(page, nullptr) << entry.path();
    EXPECT_EQ(page->body, text.str()) << entry.path();
    EXPECT_NE(page->mime, "application/octet-stream") << entry.path();
    ++count;
  }
  EXPECT_GE(count, 8u);
}

TEST(ConsoleTest, IndexIsTheRootAndUnknownPathsAreNothing) {
  ASSERT_NE(ContentOf("/"), nullptr);
  EXPECT_EQ(ContentOf("/"), ContentOf("/index.html"));
  EXPECT_EQ(ContentOf("/../console.cc"), nullptr);
  EXPECT_EQ(ContentOf(""), nullptr);
}

// A page that loads anything from elsewhere would break in a closed network, and tell others who
// looks.
TEST(ConsoleTest, NothingIsLoadedFromElsewhere) {
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    const Page* page = ContentOf("/" + entry.path().filename().string());
    ASSERT_NE(page, nullptr);
    // A name space of XML is a name that nothing fetches.
    const std::string body =
        std::regex_replace(std::string(page->body), std::regex("xmlns=\"[^\"]*\""), "");
    EXPECT_FALSE(std::regex_search(body, std::regex("(https?:)?//[a-z0-9]+\\.[a-z]")))
        << page->path;
    EXPECT_EQ(body.find("innerHTML"), std::string::npos) << page->path;
  }
}

// Every module that a page imports is there.
TEST(ConsoleTest, ImportsResolve) {
  const std::regex import("from '\\./([a-z_]+\\.js)'");
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    const std::string body(ContentOf("/" + entry.path().filename().string())->body);
    for (std::sregex_iterator it(body.begin(), body.end(), import), end; it != end; ++it) {
      EXPECT_NE(ContentOf("/" + (*it)[1].str()), nullptr) << entry.path() << " " << (*it)[1].str();
    }
  }
}

}  // namespace
}  // namespace ferry::server::console
