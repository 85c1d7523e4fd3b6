#include "common/net/http/range.h"

#include "common/base/check.h"
#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

// What is served is inside of the content.
void RunRange(ByteView bytes) {
  const std::string_view header = AsText(bytes);
  for (const uint64_t size : {uint64_t{0}, uint64_t{1}, uint64_t{1000}, ~uint64_t{0}}) {
    const net::RangeAnswer answer = net::AnswerRange(header, size);
    CHECK(answer.status == 200 || answer.status == 206 || answer.status == 416);
    CHECK(answer.begin <= answer.end && answer.end <= size);
    if (answer.status == 200) CHECK(answer.begin == 0 && answer.end == size);
    if (answer.status == 206) CHECK(answer.begin < answer.end);
  }
  const auto content = net::ParseContentRange(header);
  if (content.has_value() && content->begin.has_value()) CHECK(*content->begin < content->size);
}

std::vector<Bytes> RangeSeeds() {
  std::vector<Bytes> seeds;
  for (const std::string_view header :
       {"bytes=0-99", "bytes=500-", "bytes=-18446744073709551615", "bytes=999-1000",
        "bytes 10-99/1000", "bytes */1000", "bytes 0-18446744073709551614/18446744073709551615"}) {
    seeds.push_back(ToBytes(AsBytes(header)));
  }
  return seeds;
}

}  // namespace

const Target kRangeTarget = {"range", RunRange, RangeSeeds};

}  // namespace ferry::fuzz
