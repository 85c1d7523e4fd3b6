#include "pipeline/operator/sum/exact_sum.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>
#include <sstream>

namespace ferry::operators {
namespace {

Json SumOf(const std::vector<Json>& values) {
  ExactSum sum;
  for (const Json& value : values) sum.Add(value);
  return sum.Value();
}

// Each line: hexadecimal doubles, "=", what Python's math.fsum gave.
TEST(ExactSum, EqualsPython) {
  std::ifstream in(FERRY_SOURCE_DIR "/pipeline/operator/cases/fsum.txt");
  int cases = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    SCOPED_TRACE(line);
    std::istringstream words(line);
    std::vector<Json> values;
    std::string word;
    while (words >> word && word != "=") values.push_back(std::strtod(word.c_str(), nullptr));
    words >> word;
    const double expected = std::strtod(word.c_str(), nullptr);
    for (int order = 0; order < 3; ++order) {
      EXPECT_EQ(SumOf(values), Json(expected));
      std::shuffle(values.begin(), values.end(), std::mt19937(static_cast<unsigned>(cases)));
    }
    ++cases;
  }
  EXPECT_GE(cases, 100);
}

TEST(ExactSum, IntegersStayExactWhile64BitsHoldThem) {
  constexpr uint64_t kMost = 18446744073709551615u;
  EXPECT_EQ(SumOf({kMost}).dump(), "18446744073709551615");
  EXPECT_EQ(SumOf({kMost, kMost, -1}).dump(), "3.6893488147419103e+19");
  EXPECT_EQ(SumOf({kMost, 1}).dump(), "1.8446744073709552e+19");
  EXPECT_EQ(SumOf({kMost, 1, -1}).dump(), "18446744073709551615");
  EXPECT_EQ(SumOf({INT64_MIN, -1, 1}).dump(), "-9223372036854775808");
  EXPECT_EQ(SumOf({INT64_MIN, -1}).dump(), "-9.223372036854776e+18");
  EXPECT_EQ(SumOf({1, 2.0}).dump(), "3.0");
  EXPECT_EQ(SumOf({kMost, -1e300, 1e300, 0.5}), Json(18446744073709551616.0));
  EXPECT_TRUE(SumOf({}).is_null());
  EXPECT_TRUE(SumOf({1.7e308, 1.7e308}).is_null());
  EXPECT_EQ(SumOf({1.7e308, 1.7e308, -1.7e308}), Json(1.7e308));
}

// A number of any size, most of them ordinary.
Json AnyNumber(std::mt19937_64& random) {
  switch (random() % 6) {
    case 0:
      return static_cast<int64_t>(random());
    case 1:
      return static_cast<uint64_t>(random());
    case 2:
      return std::ldexp(static_cast<double>(static_cast<int64_t>(random())),
                        static_cast<int>(random() % 1900) - 1100);
    default:
      return static_cast<double>(static_cast<int64_t>(random() % 2'000'001) - 1'000'000) / 997.0;
  }
}

TEST(ExactSum, OrderPartsRemovalAndStateDoNotMatter) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 500; ++round) {
    std::vector<Json> values;
    for (uint64_t n = random() % 40; n > 0; --n) values.push_back(AnyNumber(random));
    const Json expected = SumOf(values);
    std::shuffle(values.begin(), values.end(), random);
    ExactSum parts[3], all;
    for (const Json& value : values) parts[random() % 3].Add(value);
    for (ExactSum& part : parts) {
      const Json extra = AnyNumber(random);
      part.Add(extra);
      std::string bytes;
      ByteWriter writer(&bytes);
      part.Save(&writer);
      ByteReader reader(bytes);
      ExactSum loaded;
      loaded.Load(&reader);
      ASSERT_TRUE(reader.Done());
      loaded.Remove(extra);
      all.Merge(loaded);
    }
    ASSERT_EQ(all.Value().dump(), expected.dump());
    EXPECT_EQ(all.count(), static_cast<int64_t>(values.size()));
  }
}

TEST(ExactSum, ManyAddsOverflowNothing) {
  ExactSum sum;
  for (int k = 0; k < 300'000; ++k) sum.Add(1.0e12 + 0.125);
  EXPECT_EQ(sum.Value(), Json(3.0e17 + 37500.0));
}

}  // namespace
}  // namespace ferry::operators
