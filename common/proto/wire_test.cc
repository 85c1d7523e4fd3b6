// Golden bytes of every message: a change of the wire breaks devices in the field and shows here.
#include "common/proto/wire.pb.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "common/base/bytes.h"

namespace ferry::proto {
namespace {

// Each line of cases/wire.txt: message in protobuf's text form, " = ", hexadecimal.
TEST(Wire, GoldenBytes) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "protobuf's headers lay maps out with two members more here than its library has";
#endif
  std::ifstream file(FERRY_SOURCE_DIR "/common/proto/cases/wire.txt");
  ASSERT_TRUE(file.is_open());
  std::set<int> seen;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const size_t equals = line.rfind(" = ");
    ASSERT_NE(equals, std::string::npos) << line;
    Envelope envelope;
    ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(line.substr(0, equals), &envelope))
        << line;
    EXPECT_EQ(ToHex(AsBytes(envelope.SerializeAsString())), line.substr(equals + 3)) << line;
    seen.insert(envelope.body_case());
  }
  // Every message of the oneof has its line.
  const auto* oneof = Envelope::descriptor()->FindOneofByName("body");
  EXPECT_EQ(static_cast<int>(seen.size()), oneof->field_count());
}

}  // namespace
}  // namespace ferry::proto
