#include "cloud-server/console/console.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

namespace ferry::server::console {
namespace {

const std::string kFolder = FERRY_SOURCE_DIR "/cloud-server/console/bundle";

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
// looks. Packages name addresses in what they say of errors; nothing is asked there.
TEST(ConsoleTest, TheIndexLoadsNothingFromElsewhere) {
  const std::string body(ContentOf("/")->body);
  const std::regex loads("(?:href|src)=\"([^\"]*)\"");
  size_t count = 0;
  for (std::sregex_iterator it(body.begin(), body.end(), loads), end; it != end; ++it, ++count)
    EXPECT_NE(ContentOf((*it)[1].str()), nullptr) << (*it)[1].str();
  EXPECT_GE(count, 3u);
  EXPECT_EQ(body.find("<style"), std::string::npos);
  EXPECT_FALSE(std::regex_search(body, std::regex("<script[^>]*>[^<]")))
      << "a script inside the page";
}

// Every part that a script loads is there.
TEST(ConsoleTest, PartsResolve) {
  const std::regex part("[\"']\\.?/([A-Za-z0-9_]+-[A-Z0-9]{8}\\.(?:js|css))[\"']");
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() != ".js") continue;
    const std::string body(ContentOf("/" + entry.path().filename().string())->body);
    for (std::sregex_iterator it(body.begin(), body.end(), part), end; it != end; ++it, ++count)
      EXPECT_NE(ContentOf("/" + (*it)[1].str()), nullptr) << entry.path() << " " << (*it)[1].str();
  }
  EXPECT_GE(count, 4u);
}

}  // namespace
}  // namespace ferry::server::console
