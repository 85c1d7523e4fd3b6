// Outputs with too little room: the run says how much each needs, before it begins.
#include <gtest/gtest.h>
#include <cstdint>
#include <cstring>
#include <vector>

#include "device-runtime/api/ferry.h"
#include "device-runtime/engine/engine.h"
#include "device-runtime/ir/text.h"

namespace ferry::api {
namespace {

class Room : public ::testing::Test {
 protected:
  void TearDown() override {
    ferry_engine_session_destroy(session_);
    ferry_engine_close(engine_);
  }
  void Open(const char* text) {
    auto file = engine::Compile(ir::Parse(text).value(), {});
    ASSERT_TRUE(file.ok()) << file.status().ToString();
    file_ = std::move(*file);
    ASSERT_EQ(
        ferry_engine_open_memory(file_.data(), file_.size(), nullptr, nullptr, nullptr, &engine_),
        FERRY_kOk)
        << ferry_error_text();
    ASSERT_EQ(ferry_engine_session_create(engine_, nullptr, &session_), FERRY_kOk);
  }
  int Run(ferry_tensor input, std::vector<ferry_tensor>& outputs) {
    return ferry_engine_run(session_, &input, 1, outputs.data(), outputs.size());
  }

  Bytes file_;
  ferry_engine* engine_ = nullptr;
  ferry_engine_session* session_ = nullptr;
};

ferry_tensor RoomTensor(const char* name, void* data, size_t bytes) {
  ferry_tensor out{};
  out.size = sizeof(out);
  out.name = name;
  out.data = data;
  out.bytes = bytes;
  return out;
}

ferry_tensor RoomInput(std::vector<float>& values) {
  ferry_tensor out = RoomTensor("x", values.data(), values.size() * sizeof(float));
  out.type = FERRY_TYPE_F32;
  out.rank = 1;
  out.shape[0] = static_cast<int64_t>(values.size());
  return out;
}

TEST_F(Room, ARunWithoutRoomSaysHowMuchEachNeeds) {
  Open(
      "graph two\ninput x f32 [n]\nnode Add a (x, x) -> (y)\n"
      "node Cast b (x) -> (z) to=i10\noutput y\noutput z\n");
  std::vector<float> x(6, 1.5f);
  float y[6] = {};
  uint64_t nothing = 0;
  std::vector<ferry_tensor> outputs = {RoomTensor("z", &nothing, 0), RoomTensor("y", y, sizeof y)};
  EXPECT_EQ(Run(RoomInput(x), outputs), FERRY_kShapeMismatch);
  EXPECT_NE(std::strstr(ferry_error_text(), "'z'"), nullptr) << ferry_error_text();
  EXPECT_EQ(outputs[0].type, FERRY_TYPE_F16);
  EXPECT_EQ(outputs[0].bytes, 12u);
  EXPECT_EQ(outputs[1].bytes, 24u);
  EXPECT_EQ(outputs[1].rank, 1);
  EXPECT_EQ(outputs[1].shape[0], 6);
  EXPECT_EQ(outputs[1].data, y);
  EXPECT_EQ(y[0], 0) << "it ran";

  std::vector<uint16_t> z(6);
  outputs[0].data = z.data();
  ASSERT_EQ(Run(RoomInput(x), outputs), FERRY_kOk) << ferry_error_text();
  EXPECT_EQ(outputs[0].data, z.data());
  EXPECT_EQ(z[5], 0x3e00);
  EXPECT_EQ(y[5], 3);
}

TEST_F(Room, OtherMismatchesLeaveOutputsAsTheyAre) {
  Open("graph one\ninput x f32 [4]\nnode Add a (x, x) -> (y)\noutput y\n");
  std::vector<float> x(5);
  uint64_t nothing = 0;
  std::vector<ferry_tensor> outputs = {RoomTensor("y", &nothing, 0)};
  EXPECT_EQ(Run(RoomInput(x), outputs), FERRY_kShapeMismatch);
  EXPECT_EQ(outputs[0].type, 0);
  EXPECT_EQ(outputs[0].bytes, 0u);
}

TEST_F(Room, WhatIsKnownOnlyAfterTheRunIsSaidToo) {
  Open("graph odd\ninput x f32 [n]\nnode NonZero a (x) -> (y)\noutput y\n");
  std::vector<float> x = {0, 2, 0, 3};
  uint64_t nothing = 0;
  std::vector<ferry_tensor> outputs = {RoomTensor("y", &nothing, 0)};
  EXPECT_EQ(Run(RoomInput(x), outputs), FERRY_kShapeMismatch);
  EXPECT_EQ(outputs[0].type, FERRY_TYPE_I64);
  EXPECT_EQ(outputs[0].bytes, 16u);
  EXPECT_EQ(outputs[0].rank, 2);
}

TEST_F(Room, AnEmptyTextIsATextToo) {
  Open("graph texts\ninput x string [n]\nnode Identity a (x) -> (y)\noutput y\n");
  const char* texts[] = {"one", "", "three"};
  ferry_tensor x = RoomTensor("x", texts, sizeof texts);
  x.type = FERRY_TYPE_STRING;
  x.rank = 1;
  x.shape[0] = 3;
  std::vector<ferry_tensor> outputs = {RoomTensor("y", nullptr, 0)};
  ASSERT_EQ(Run(x, outputs), FERRY_kOk) << ferry_error_text();
  const auto* y = static_cast<const char* const*>(outputs[0].data);
  for (int i = 0; i < 3; ++i) EXPECT_STREQ(y[i], texts[i]);
}

}  // namespace
}  // namespace ferry::api
