// Making: a plan for each chunk, its numbers coded, its literals compressed.
#include <zstd.h>

#include <algorithm>

#include "common/package/delta/delta.h"
#include "common/package/delta/difference_model.h"
#include "common/package/delta/plan.h"

namespace ferry::package {
namespace {

using delta::Mode;
using delta::Segment;

constexpr int kLiteralLevel = 19;
constexpr uint64_t kAround = 256 << 10;  // bytes of the base to both sides of where literals were

struct FreeMakeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

// Makes one delta, chunk after chunk.
class Maker {
 public:
  Maker(ByteView base, ByteView target) : base_(base), target_(target), planner_(base, target) {}

  Bytes Header() const {
    Bytes out(delta::kHeaderBytes);
    std::copy(delta::kMagic.begin(), delta::kMagic.end(), out.begin());
    PutU64(&out[4], target_.size());
    PutU64(&out[12], base_.size());
    return out;
  }

  // The chunk at `at`, which moves behind it.
  Result<Bytes> Chunk(size_t& at) {
    const std::vector<Segment> segments = planner_.Plan(at);
    delta::ChunkHeader header;
    header.segments = static_cast<uint32_t>(segments.size());
    Bytes literals;
    const Bytes coded = Numbers(segments, at, header, literals);
    header.coded = static_cast<uint32_t>(coded.size());
    ChoosePrefix(segments, at, header);
    FERRY_ASSIGN_OR_RETURN(const Bytes frame, Frame(literals, header));
    header.frame = static_cast<uint32_t>(frame.size());
    at += header.length;

    Bytes out(delta::kChunkHeaderBytes + segments.size() * delta::kSegmentBytes);
    uint32_t* const numbers[] = {&header.length, &header.segments, &header.coded, &header.frame};
    for (size_t i = 0; i < 4; ++i) PutU32(&out[4 * i], *numbers[i]);
    PutU64(&out[16], header.prefix_from);
    PutU32(&out[24], header.prefix);
    uint8_t* row = &out[delta::kChunkHeaderBytes];
    for (const Segment& segment : segments) {
      row[0] = static_cast<uint8_t>(segment.mode);
      PutU32(row + 4, segment.length);
      PutU32(row + 8, segment.stride);
      PutU64(row + 12, segment.from);
      row += delta::kSegmentBytes;
    }
    out.insert(out.end(), coded.begin(), coded.end());
    out.insert(out.end(), frame.begin(), frame.end());
    return out;
  }

 private:
  Bytes Numbers(const std::vector<Segment>& segments, size_t at, delta::ChunkHeader& header,
                Bytes& literals) {
    Bytes out;
    delta::RangeEncoder encoder(out);
    bool any = false;
    for (const Segment& segment : segments) {
      const ByteView bytes = target_.subspan(at, segment.length);
      if (segment.mode == Mode::kLiteral)
        literals.insert(literals.end(), bytes.begin(), bytes.end());
      if (IsNumeric(segment.mode)) {
        any = true;
        const unsigned width = WidthOf(segment.mode);
        delta::DifferenceModel& model = models_.Get(segment.mode);
        model.Begin(segment.stride);
        for (uint32_t i = 0; i < segment.length; i += width) {
          const uint32_t from = delta::ReadNumber(&base_[segment.from + i], width);
          const uint32_t to = delta::ReadNumber(&bytes[i], width);
          (void)model.Code(encoder, from, delta::DifferenceOf(segment.mode, from, to));
        }
      }
      at += segment.length;
      header.length += segment.length;
    }
    if (any) encoder.Finish();
    return out;
  }

  // The base around where literals lie, as the segments beside them say.
  void ChoosePrefix(const std::vector<Segment>& segments, size_t at, delta::ChunkHeader& header) {
    uint64_t first = base_.size(), last = 0;
    for (const Segment& segment : segments) {
      if (segment.mode != Mode::kLiteral)
        offset_ = static_cast<int64_t>(segment.from) - static_cast<int64_t>(at);
      at += segment.length;
      if (segment.mode != Mode::kLiteral) continue;
      const auto size = static_cast<int64_t>(base_.size());
      const auto end = static_cast<int64_t>(at) + offset_;
      const auto begin = end - static_cast<int64_t>(segment.length);
      const auto around = static_cast<int64_t>(kAround);
      first = std::min(first, static_cast<uint64_t>(std::clamp<int64_t>(begin - around, 0, size)));
      last = std::max(last, static_cast<uint64_t>(std::clamp<int64_t>(end + around, 0, size)));
    }
    if (first >= last) return;
    header.prefix_from = first;
    header.prefix = static_cast<uint32_t>(std::min<uint64_t>(last - first, delta::kMaxPrefixBytes));
  }

  Result<Bytes> Frame(ByteView literals, const delta::ChunkHeader& header) const {
    if (literals.empty()) return Bytes();
    std::unique_ptr<ZSTD_CCtx, FreeMakeContext> context(ZSTD_createCCtx());
    if (context == nullptr) return Status(Code::kOutOfMemory, "zstd context");
    const ByteView prefix = base_.subspan(header.prefix_from, header.prefix);
    Bytes out(ZSTD_compressBound(literals.size()));
    size_t size = ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLiteralLevel);
    if (!ZSTD_isError(size))
      size = ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, delta::kLiteralWindowLog);
    if (!ZSTD_isError(size))
      size = ZSTD_CCtx_setParameter(context.get(), ZSTD_c_contentSizeFlag, 0);
    if (!ZSTD_isError(size) && !prefix.empty())
      size = ZSTD_CCtx_refPrefix(context.get(), prefix.data(), prefix.size());
    if (!ZSTD_isError(size))
      size =
          ZSTD_compress2(context.get(), out.data(), out.size(), literals.data(), literals.size());
    if (ZSTD_isError(size))
      return Status::Of(Code::kInternal, "compressing literals: {}", ZSTD_getErrorName(size));
    out.resize(size);
    return out;
  }

  ByteView base_;
  ByteView target_;
  delta::Planner planner_;
  delta::DifferenceModels models_;
  int64_t offset_ = 0;  // of the segment before
};

}  // namespace

Status MakeTensorDelta(ByteView base, ByteView target, const Sink& sink, const Progress& progress) {
  try {
    Maker maker(base, target);
    FERRY_TRY(sink(maker.Header()));
    for (size_t at = 0; at < target.size();) {
      FERRY_ASSIGN_OR_RETURN(const Bytes chunk, maker.Chunk(at));
      FERRY_TRY(sink(chunk));
      if (progress) progress(at, target.size());
    }
    return OkStatus();
  } catch (const std::bad_alloc&) {
    return Status(Code::kOutOfMemory, "making a delta");
  }
}

}  // namespace ferry::package
