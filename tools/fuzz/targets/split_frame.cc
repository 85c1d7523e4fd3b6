#include "common/base/check.h"
#include "common/proto/split.pb.h"
#include "device-runtime/llm/speculative/frames.h"
#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

constexpr int64_t kVocabularies[] = {1, 256, 257, 4096, 151'936, int64_t{1} << 31};

// A frame has one form: what was read is written as the same bytes.
void RunSplitFrame(ByteView bytes) {
  for (const int64_t vocabulary : kVocabularies) {
    auto frame = llm::DecodeFrame(bytes, vocabulary);
    if (!frame.ok()) continue;
    CHECK(llm::EncodeFrame(*frame, vocabulary) == ToBytes(bytes));
    CHECK(frame->stream < llm::kMaxStreams);
    CHECK(static_cast<int64_t>(frame->ids.size()) <= llm::kMaxDraftTokens);
    for (const int64_t around : {int64_t{0}, int64_t{70'000}, int64_t{1} << 40}) {
      const int64_t position = llm::WidenPosition(frame->position, around);
      CHECK(position >= 0 && (position & 0xffff) == frame->position);
    }
    if (frame->kind != llm::FrameKind::kControl) continue;
    proto::SplitControl control;
    (void)control.ParseFromArray(frame->control.data(), static_cast<int>(frame->control.size()));
  }
}

std::vector<Bytes> SplitFrameSeeds() {
  std::vector<Bytes> seeds;
  const auto add = [&](llm::FrameKind kind, std::vector<llm::TokenId> ids, int64_t vocabulary) {
    llm::SplitFrame frame;
    frame.kind = kind;
    frame.stream = 3;
    frame.epoch = 200;
    frame.position = 65'500;
    frame.count = 8;
    frame.ids = std::move(ids);
    seeds.push_back(llm::EncodeFrame(frame, vocabulary));
  };
  add(llm::FrameKind::kDraft, {1, 2, 3, 200}, 256);
  add(llm::FrameKind::kDraft, {}, 256);
  add(llm::FrameKind::kFollow, {70'000, 151'935}, 151'936);
  add(llm::FrameKind::kVerdict, {4000}, 4096);
  add(llm::FrameKind::kTokens, {7, 8, 9}, 4096);
  add(llm::FrameKind::kStream, {}, 256);
  proto::SplitControl control;
  seeds.push_back(llm::EncodeControl(0, control));
  return seeds;
}

}  // namespace

const Target kSplitFrameTarget = {"split_frame", RunSplitFrame, SplitFrameSeeds};

}  // namespace ferry::fuzz
