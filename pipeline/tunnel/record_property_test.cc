// What a device's outbox takes is what the server stores, over random rows of every odd kind.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "common/base/json.h"
#include "common/proto/wire.pb.h"
#include "pipeline/event/event.h"
#include "pipeline/event/record.h"
#include "pipeline/store/outbox.h"
#include "pipeline/tunnel/client.h"
#include "pipeline/tunnel/server.h"

namespace ferry::tunnel {
namespace {

constexpr int kRows = 100'000;
constexpr int kRowsARound = 500;

class RandomRow {
 public:
  explicit RandomRow(uint32_t seed) : random_(seed) {}

  store::Record Next() {
    store::Record record;
    record.stream = Stream();
    record.time_ms = static_cast<int64_t>(random_());
    switch (Below(12)) {
      case 0:  // around the limit of nesting
        record.json = Nested(55 + Below(20));
        break;
      case 1:  // around the limit of bytes, rarely: they cost the most
        record.json = Below(20) == 0 ? '"' + std::string(65'500 + Below(60), 'x') + '"' : "{}";
        break;
      case 2:
        record.json = Number();
        break;
      case 3:
        record.json = Broken();
        break;
      default:  // as scripts and streams make them
        record.json = WriteJson(Value(0));
    }
    return record;
  }

 private:
  int Below(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }

  std::string Stream() {
    switch (Below(20)) {
      case 0:
        return std::string(static_cast<size_t>(120 + Below(16)), 'n');
      case 1:
        return Text();
      default:
        return "digits.window" + std::to_string(Below(5));
    }
  }
  std::string Nested(int depth) {
    std::string open, close;
    for (int k = 0; k < depth; ++k) {
      const bool list = Below(2) == 0;
      open += list ? "[" : "{\"]\":";
      close.insert(0, list ? "]" : "}");
    }
    return open + Number() + close;
  }
  std::string Number() {
    const char* odd[] = {"1e400", "-0", "1e-400",           "18446744073709551616",   "NaN", "01",
                         "1.",    ".5", "9007199254740993", "-1.7976931348623157e308"};
    return Below(2) == 0 ? odd[Below(10)] : std::to_string(static_cast<int64_t>(random_()) - 9);
  }
  // Whole and half characters, controls, surrogates.
  std::string Text() {
    const char* parts[] = {"a",    "\xc3\xa4",     "\xe2\x82\xac", "\xf0\x9f\x98\x80",
                           "\xff", "\xed\xa0\x80", "\xc0\xaf",     "\xe2\x82",
                           "\n",   "\"",           "\\",           "\x7f"};
    std::string text;
    for (int k = Below(8); k > 0; --k) text += parts[Below(12)];
    if (Below(10) == 0) text += '\0';
    return text;
  }
  std::string Broken() {
    std::string text = Below(2) == 0 ? '"' + Text() + '"' : WriteJson(Value(0));
    if (!text.empty())
      text[static_cast<size_t>(Below(static_cast<int>(text.size())))] ^= 1 << Below(8);
    return text;
  }
  Json Value(int depth) {
    switch (Below(depth > 4 ? 5 : 7)) {
      case 0:
        return Text();
      case 1:
        return static_cast<int64_t>(random_()) * (Below(2) == 0 ? 1 : -1'000'000'007);
      case 2: {
        const double odd[] = {0.1, -0.0, 5e-324, 1.7976931348623157e308, HUGE_VAL, std::nan("")};
        return odd[Below(6)];
      }
      case 3:
        return Below(2) == 0;
      case 4:
        return nullptr;
      case 5: {
        Json list = Json::array();
        for (int k = Below(4); k > 0; --k) list.push_back(Value(depth + 1));
        return list;
      }
      default: {
        Json object = Json::object();
        for (int k = Below(4); k > 0; --k) object[Text()] = Value(depth + 1);
        return object;
      }
    }
  }

  std::mt19937 random_;
};

// Takes what the outbox holds over the wire's bytes, and counts what the server stores as it was.
void ExpectAllStored(store::Outbox& outbox, const std::vector<store::Record>& accepted) {
  Client client(outbox);
  client.OnConnected();
  size_t at = 0;
  while (at < accepted.size()) {
    proto::TunnelBatch sent, batch;
    ASSERT_TRUE(*client.NextBatch(0, &sent));
    ASSERT_TRUE(batch.ParseFromString(sent.SerializeAsString()));
    const auto decoded = DecodeBatch(batch);
    ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
    for (const ReceivedRecord& record : decoded->records) {
      ASSERT_TRUE(record.refused.ok()) << record.refused.ToString();
      ASSERT_EQ(record.stream, accepted[at].stream);
      ASSERT_EQ(record.json, accepted[at++].json);
    }
    ASSERT_TRUE(client.OnAck(MakeAck(decoded->outbox_id, decoded->last_seq), 0).ok());
  }
}

TEST(RecordProperty, AcceptedOnTheDeviceIsAcceptedOnTheServer) {
  RandomRow rows(19);
  sys::SeededRandom random(1);
  int accepted_rows = 0, refused_rows = 0;
  for (int round = 0; round < kRows / kRowsARound; ++round) {
    auto outbox = *store::OpenOutbox(":memory:", random);
    std::vector<store::Record> accepted;
    proto::TunnelBatch refused;
    refused.set_outbox_id(std::string(store::kOutboxIdBytes, 'o'));
    refused.set_first_seq(1);
    for (int k = 0; k < kRowsARound; ++k) {
      const store::Record row = rows.Next();
      if (outbox->Append({row}).ok()) {
        accepted.push_back(row);
        continue;
      }
      proto::Record* record = refused.add_records();
      record->set_stream(row.stream);
      record->set_json(row.json);
    }
    ASSERT_NO_FATAL_FAILURE(ExpectAllStored(*outbox, accepted));
    const auto decoded = DecodeBatch(refused);  // the batch lives on, each record is refused
    ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
    for (const ReceivedRecord& record : decoded->records) ASSERT_FALSE(record.refused.ok());
    accepted_rows += static_cast<int>(accepted.size());
    refused_rows += refused.records_size();
  }
  EXPECT_EQ(accepted_rows + refused_rows, kRows);
  EXPECT_GT(accepted_rows, kRows / 2);
  EXPECT_GT(refused_rows, kRows / 20);
}

}  // namespace
}  // namespace ferry::tunnel
