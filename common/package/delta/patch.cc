// Applying: chunk by chunk, everything checked before it is used.
#include <zstd.h>

#include <algorithm>

#include "common/package/delta/delta.h"
#include "common/package/delta/difference_model.h"
#include "common/package/delta/format.h"

namespace ferry::package {
namespace {

using delta::ChunkHeader;
using delta::Mode;
using delta::Segment;

struct FreePatchContext {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

Status BadDelta(std::string_view what) {
  return Status::Of(Code::kBadDelta, "{}", what);
}

Result<ChunkHeader> ReadChunkHeader(const uint8_t* at, uint64_t base, uint64_t left) {
  ChunkHeader out{GetU32(at),      GetU32(at + 4),  GetU32(at + 8),
                  GetU32(at + 12), GetU64(at + 16), GetU32(at + 24)};
  if (out.length == 0 || out.length > delta::kMaxChunkBytes || out.length > left)
    return BadDelta("a chunk of a wrong length");
  if (out.segments == 0 || out.segments > delta::kMaxSegments)
    return BadDelta("a chunk with too many or no segments");
  if (out.coded > delta::kMaxCodedBytes || out.frame > delta::kMaxCodedBytes)
    return BadDelta("a chunk that grew when it was coded");
  if (out.prefix > delta::kMaxPrefixBytes || out.prefix > base ||
      out.prefix_from > base - out.prefix)
    return BadDelta("a prefix outside the base");
  return out;
}

Result<Segment> ReadSegment(const uint8_t* at, uint64_t base) {
  if (at[0] >= delta::kModes || at[1] != 0 || at[2] != 0 || at[3] != 0)
    return BadDelta("a segment of an unknown mode");
  Segment out{static_cast<Mode>(at[0]), GetU32(at + 4), GetU32(at + 8), GetU64(at + 12)};
  if (out.length == 0) return BadDelta("a segment of no bytes");
  if (out.mode != Mode::kLiteral && (out.length > base || out.from > base - out.length))
    return BadDelta("a segment outside the base");
  if (out.stride == 0 || out.stride > delta::kMaxStride)
    return BadDelta("a segment with rows of a wrong length");
  if (IsNumeric(out.mode) && out.length % WidthOf(out.mode) != 0)
    return BadDelta("a segment that ends within a number");
  return out;
}

}  // namespace

bool IsTensorDelta(ByteView begin) {
  return begin.size() >= delta::kMagic.size() &&
         std::equal(delta::kMagic.begin(), delta::kMagic.end(), begin.begin());
}

struct TensorPatcher::State {
  ByteView base;
  uint64_t max_bytes;
  Sink sink;
  Status failed{};
  Bytes buffer{};                       // of what is read next
  size_t wanted = delta::kHeaderBytes;  // that much of it
  bool begun = false;
  bool in_chunk = false;
  ChunkHeader chunk{};
  uint64_t left = 0;  // of the new file
  Bytes out{};
  Bytes literals{};
  delta::DifferenceModels models{};
  std::unique_ptr<ZSTD_DCtx, FreePatchContext> context{};

  bool done() const { return begun && left == 0 && buffer.empty(); }

  Status Take(ByteView piece) {
    while (!piece.empty()) {
      if (done()) return BadDelta("bytes after the end");
      const size_t taken = std::min(piece.size(), wanted - buffer.size());
      buffer.insert(buffer.end(), piece.begin(), piece.begin() + static_cast<ptrdiff_t>(taken));
      piece = piece.subspan(taken);
      if (buffer.size() < wanted) return OkStatus();
      FERRY_TRY(Step());
    }
    return OkStatus();
  }

  // What was wanted is there.
  Status Step() {
    if (!begun) {
      FERRY_TRY(Begin());
    } else if (!in_chunk) {
      FERRY_ASSIGN_OR_RETURN(chunk, ReadChunkHeader(buffer.data(), base.size(), left));
      in_chunk = true;
      wanted = size_t{chunk.segments} * delta::kSegmentBytes + chunk.coded + chunk.frame;
      buffer.clear();
      buffer.reserve(wanted);
      return OkStatus();
    } else {
      FERRY_TRY(OpenChunk());
      in_chunk = false;
    }
    buffer.clear();
    wanted = delta::kChunkHeaderBytes;
    return OkStatus();
  }

  Status Begin() {
    if (!IsTensorDelta(buffer)) return BadDelta("not a delta of this kind");
    left = GetU64(&buffer[4]);
    if (left > max_bytes)
      return Status::Of(Code::kLimitExceeded, "would make {} bytes, at most {}", left, max_bytes);
    if (GetU64(&buffer[12]) != base.size()) return BadDelta("made for a base of another length");
    begun = true;
    return OkStatus();
  }

  Status OpenChunk() {
    const size_t table = size_t{chunk.segments} * delta::kSegmentBytes;
    out.resize(chunk.length);
    uint64_t length = 0, literal = 0;
    for (size_t at = 0; at < table; at += delta::kSegmentBytes) {
      FERRY_ASSIGN_OR_RETURN(const Segment segment, ReadSegment(&buffer[at], base.size()));
      length += segment.length;
      if (segment.mode == Mode::kLiteral) literal += segment.length;
    }
    if (length != chunk.length) return BadDelta("segments that do not make up their chunk");
    FERRY_TRY(OpenLiterals(ByteView(buffer).subspan(table + chunk.coded), literal));
    delta::RangeDecoder decoder(ByteView(buffer).subspan(table, chunk.coded));
    size_t to = 0;
    const uint8_t* literal_at = literals.data();
    bool numbers = false;
    for (size_t at = 0; at < table; at += delta::kSegmentBytes) {
      const Segment segment = *ReadSegment(&buffer[at], base.size());
      numbers = numbers || IsNumeric(segment.mode);
      if (segment.mode == Mode::kLiteral) {
        std::copy_n(literal_at, segment.length, &out[to]);
        literal_at += segment.length;
      } else if (segment.mode == Mode::kEqual) {
        std::copy_n(base.begin() + static_cast<ptrdiff_t>(segment.from), segment.length, &out[to]);
      } else {
        Numbers(segment, decoder, &out[to]);
      }
      to += segment.length;
    }
    if (numbers ? !decoder.exact() : chunk.coded != 0) return BadDelta("numbers that do not end");
    left -= chunk.length;
    return sink(out);
  }

  void Numbers(const Segment& segment, delta::RangeDecoder& decoder, uint8_t* to) {
    const unsigned width = WidthOf(segment.mode);
    const uint8_t* from = base.data() + segment.from;
    delta::DifferenceModel& model = models.Get(segment.mode);
    model.Begin(segment.stride);
    for (uint32_t i = 0; i < segment.length; i += width) {
      const uint32_t number = delta::ReadNumber(from + i, width);
      delta::WriteNumber(to + i, width,
                         delta::Apply(segment.mode, number, model.Code(decoder, number, 0)));
    }
  }

  Status OpenLiterals(ByteView frame, uint64_t length) {
    literals.resize(length);
    if (length == 0) return frame.empty() ? OkStatus() : BadDelta("literals that nobody asks for");
    if (context == nullptr) context.reset(ZSTD_createDCtx());
    if (context == nullptr) return Status(Code::kOutOfMemory, "zstd context");
    const ByteView prefix = base.subspan(chunk.prefix_from, chunk.prefix);
    size_t opened = ZSTD_DCtx_reset(context.get(), ZSTD_reset_session_and_parameters);
    if (!ZSTD_isError(opened) && !prefix.empty())
      opened = ZSTD_DCtx_refPrefix(context.get(), prefix.data(), prefix.size());
    if (!ZSTD_isError(opened))
      opened = ZSTD_decompressDCtx(context.get(), literals.data(), literals.size(), frame.data(),
                                   frame.size());
    if (!ZSTD_isError(opened) && opened == length) return OkStatus();
    return Status::Of(Code::kBadDelta, "literals: {}", ZSTD_getErrorName(opened));
  }
};

TensorPatcher::TensorPatcher(ByteView base, uint64_t max_bytes, Sink sink)
    : state_(new State{base, max_bytes, std::move(sink)}) {}

TensorPatcher::~TensorPatcher() = default;

Status TensorPatcher::Write(ByteView piece) {
  if (!state_->failed.ok()) return state_->failed;
  try {
    state_->failed = state_->Take(piece);
  } catch (const std::bad_alloc&) {
    state_->failed = Status(Code::kOutOfMemory, "applying a delta");
  }
  return state_->failed;
}

Status TensorPatcher::Finish() {
  if (!state_->failed.ok()) return state_->failed;
  if (state_->done()) return OkStatus();
  return Status(Code::kTruncatedContent, "the delta ends too early");
}

}  // namespace ferry::package
