#include "pipeline/operator/aggregate.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

namespace ferry::operators {
namespace {

// An aggregate in memory of its own.
class Holder {
 public:
  explicit Holder(const AggregateSpec& spec)
      : block_(FindAggregate(spec.op)->size / sizeof(std::max_align_t) + 1),
        made_(FindAggregate(spec.op)->make(spec, block_.data())) {}
  ~Holder() { made_->~Aggregate(); }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  Aggregate* operator->() { return made_; }
  Aggregate& operator*() { return *made_; }

 private:
  std::vector<std::max_align_t> block_;
  Aggregate* made_;
};

AggregateSpec Spec(const std::string& op) {
  AggregateSpec spec;
  spec.op = op;
  spec.k = 3;
  spec.q = 0.5;
  return spec;
}

Json AnyValue(std::mt19937& random, Takes takes) {
  if (takes != Takes::kNumber && random() % 3 == 0) return std::string(1, 'a' + random() % 4);
  if (random() % 2 == 0) return static_cast<int64_t>(random() % 9);
  return static_cast<double>(random() % 18) / 2;
}

TEST(Aggregate, PartsOrderAndStateDoNotMatter) {
  std::mt19937 random(23);
  for (const std::string_view name : AggregateNames()) {
    SCOPED_TRACE(name);
    const AggregateSpec spec = Spec(std::string(name));
    const Takes takes = FindAggregate(name)->takes;
    for (int round = 0; round < 200; ++round) {
      std::vector<std::pair<Json, int64_t>> rows;
      const int most = round % 10 == 9 ? 400 : 40;  // also beyond what is exact
      for (int k = 0; k < most; ++k)
        rows.emplace_back(round % 10 == 9 && takes != Takes::kNumber
                              ? Json("v" + std::to_string(random() % 500))
                              : AnyValue(random, takes),
                          static_cast<int64_t>(random() % 20));
      Holder whole(spec), a(spec), b(spec), loaded(spec);
      for (const auto& [value, time] : rows) whole->Add(value, time);
      std::shuffle(rows.begin(), rows.end(), random);
      for (const auto& [value, time] : rows) (random() % 3 == 0 ? a : b)->Add(value, time);
      std::string bytes;
      ByteWriter writer(&bytes);
      a->Save(&writer);
      ByteReader reader(bytes);
      loaded->Load(&reader);
      ASSERT_TRUE(reader.Done());
      ASSERT_EQ(loaded->Value().dump(), a->Value().dump());
      b->Merge(*loaded);
      ASSERT_EQ(b->Value().dump(), whole->Value().dump());
      EXPECT_EQ(b->error(), whole->error());
      b->Reset();
      Holder fresh(spec);
      EXPECT_EQ(b->Value(), fresh->Value());
    }
  }
}

TEST(Aggregate, DistinctIsExactThenWithinItsError) {
  for (const int values : {1, 256, 257, 5'000, 100'000}) {
    Holder distinct(Spec("distinct"));
    for (int k = 0; k < values; ++k)
      for (int again = 0; again < 2; ++again) distinct->Add("item " + std::to_string(k), 0);
    const auto estimate = distinct->Value().get<double>();
    EXPECT_EQ(distinct->error() > 0, values > 256);
    EXPECT_NEAR(estimate, values, distinct->error() * values);
  }
  Holder distinct(Spec("distinct"));
  for (const Json& value : {Json(1), Json(1.0), Json(-0.0), Json(0), Json("1"), Json(true)})
    distinct->Add(value, 0);
  EXPECT_EQ(distinct->Value(), 4);
}

TEST(Aggregate, QuantileIsExactThenWithinItsError) {
  std::mt19937 random(3);
  for (const int values : {1, 2, 64, 65, 3'000}) {
    for (const double q : {0.0, 0.1, 0.5, 0.99, 1.0}) {
      AggregateSpec spec = Spec("quantile");
      spec.q = q;
      Holder quantile(spec);
      std::vector<double> all;
      for (int k = 0; k < values; ++k) {
        const double sign = random() % 4 == 0 ? -1 : 1;
        all.push_back(random() % 10 == 0 ? 0 : sign * std::exp(random() % 4000 / 100.0 - 20));
        quantile->Add(all.back(), 0);
      }
      std::sort(all.begin(), all.end());
      const double exact = all[static_cast<size_t>(q * (values - 1))];
      EXPECT_NEAR(quantile->Value().get<double>(), exact,
                  values > 64 ? std::fabs(exact) * (quantile->error() + 1e-12) : 0)
          << values << " " << q;
      EXPECT_EQ(quantile->error(), values > 64 ? 0.01 : 0);
    }
  }
}

TEST(Aggregate, QuantileOfExtremeValuesStaysBounded) {
  AggregateSpec spec = Spec("quantile");
  spec.q = 1;
  Holder quantile(spec);
  for (int k = -1074; k < 1024; ++k)
    for (const double part : {1.0, 1.3, 1.7})
      for (const double sign : {1.0, -1.0}) quantile->Add(sign * std::ldexp(part, k), 0);
  const double most = std::ldexp(1.7, 1023);
  EXPECT_NEAR(quantile->Value().get<double>() / most, 1, 0.011);
  std::string bytes;
  ByteWriter writer(&bytes);
  quantile->Save(&writer);
  EXPECT_LT(bytes.size(), 70'000u);
}

TEST(Aggregate, TopIsExactThenNeverTooLow) {
  std::mt19937 random(9);
  Holder a(Spec("top_k")), b(Spec("top_k"));
  std::map<std::string, int64_t> counts;
  for (int k = 0; k < 20'000; ++k) {
    // Three values are frequent, thousands are not.
    const std::string value = random() % 2 == 0 ? "hot" + std::to_string(random() % 3)
                                                : "cold" + std::to_string(random() % 5000);
    ++counts[value];
    (k % 2 == 0 ? a : b)->Add(value, 0);
  }
  a->Merge(*b);
  const Json top = a->Value();
  ASSERT_EQ(top.size(), 3u);
  for (const Json& row : top) {
    const auto value = row["value"].get<std::string>();
    EXPECT_THAT(value, testing::StartsWith("hot"));
    const auto count = row["count"].get<int64_t>(), error = row["error"].get<int64_t>();
    EXPECT_GE(count, counts[value]);
    EXPECT_LE(count - error, counts[value]);
  }
}

TEST(Aggregate, DamagedStateIsNoticed) {
  std::mt19937 random(31);
  for (const std::string_view name : AggregateNames()) {
    Holder one(Spec(std::string(name)));
    for (int k = 0; k < 100; ++k) one->Add(k, k);
    std::string bytes;
    ByteWriter writer(&bytes);
    one->Save(&writer);
    for (int round = 0; round < 200; ++round) {
      std::string bad = bytes;
      bad[random() % bad.size()] = static_cast<char>(random());
      if (round % 2 == 0) bad.resize(random() % bad.size());
      Holder other(Spec(std::string(name)));
      ByteReader reader(bad);
      other->Load(&reader);
      if (round % 2 == 0) {
        EXPECT_FALSE(reader.Done()) << name;
      }
      (void)other->Value();
    }
  }
}

}  // namespace
}  // namespace ferry::operators
