#include <algorithm>

#include "common/base/check.h"
#include "common/package/compress.h"
#include "common/package/delta/delta.h"
#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

constexpr uint64_t kMostBytes = 64 << 10;
constexpr size_t kPieceBytes = 7;

// What deltas are of: the same text on every run.
const Bytes& DeltaBase() {
  static const Bytes base = [] {
    Bytes out;
    for (uint32_t i = 0; i < 3000; ++i) out.push_back(static_cast<uint8_t>(i * i >> 5));
    return out;
  }();
  return base;
}

// However a frame arrives, in one piece or in many, the same comes of it.
void OpenFrame(ByteView base, ByteView frame) {
  auto whole = package::ApplyDelta(base, frame, kMostBytes);
  Bytes pieces;
  package::Decompressor opener(base, kMostBytes, [&](ByteView piece) {
    pieces.insert(pieces.end(), piece.begin(), piece.end());
    CHECK(pieces.size() <= kMostBytes);
    return OkStatus();
  });
  Status status;
  for (ByteView rest = frame; status.ok() && !rest.empty();) {
    const size_t size = std::min(rest.size(), kPieceBytes);
    status = opener.Write(rest.first(size));
    rest = rest.subspan(size);
  }
  if (status.ok()) status = opener.Finish();
  CHECK(status.ok() == whole.ok()) << status.ToString() << ", " << whole.status().ToString();
  if (whole.ok()) CHECK(*whole == pieces);
}

// The same of a delta that knows numbers.
void OpenTensorDelta(ByteView base, ByteView delta) {
  const auto open = [&](size_t piece_bytes, Bytes& out) {
    package::TensorPatcher patcher(base, kMostBytes, [&](ByteView piece) {
      out.insert(out.end(), piece.begin(), piece.end());
      CHECK(out.size() <= kMostBytes);
      return OkStatus();
    });
    for (ByteView rest = delta; !rest.empty();) {
      const size_t size = std::min(rest.size(), piece_bytes);
      FERRY_TRY(patcher.Write(rest.first(size)));
      rest = rest.subspan(size);
    }
    return patcher.Finish();
  };
  Bytes whole, pieces;
  const Status at_once = open(delta.size() + 1, whole), piecewise = open(kPieceBytes, pieces);
  CHECK(at_once.code() == piecewise.code()) << at_once.ToString() << ", " << piecewise.ToString();
  CHECK(whole == pieces);
}

void RunDelta(ByteView bytes) {
  if (package::IsTensorDelta(bytes)) return OpenTensorDelta(DeltaBase(), bytes);
  OpenFrame(DeltaBase(), bytes);
  OpenFrame({}, bytes);
}

std::vector<Bytes> DeltaSeeds() {
  Bytes next = DeltaBase();
  next[1000] ^= 1;
  next.insert(next.begin() + 2000, 40, uint8_t{9});
  Bytes tensor;
  const Status made = package::MakeTensorDelta(DeltaBase(), next, [&tensor](ByteView piece) {
    tensor.insert(tensor.end(), piece.begin(), piece.end());
    return OkStatus();
  });
  CHECK(made.ok()) << made.ToString();
  return {package::MakeDelta(DeltaBase(), next).value(), package::Compress(next).value(), tensor};
}

}  // namespace

const Target kDeltaTarget = {"delta", RunDelta, DeltaSeeds};

}  // namespace ferry::fuzz
