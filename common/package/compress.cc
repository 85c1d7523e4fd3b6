#include "common/package/compress.h"

#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <bit>

#include "common/base/buffers.h"

namespace ferry::package {
namespace {

struct FreeCompressor {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};
struct FreeDecompressor {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

constexpr size_t kPieceBytes = 128 << 10;
constexpr size_t kFrameHeaderBytes = 18;  // the largest: RFC 8878, 3.1.1.1
constexpr int kMinWindowLog = 10;         // ZSTD_WINDOWLOG_MIN

Status FromZstd(size_t code, Code otherwise, std::string_view doing) {
  if (!ZSTD_isError(code)) return OkStatus();
  const bool memory = ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation;
  return Status::Of(memory ? Code::kOutOfMemory : otherwise, "{}: {}", doing,
                    ZSTD_getErrorName(code));
}

// A window that spans `bytes`, within zstd's limits.
int WindowLogFor(uint64_t bytes) {
  return std::clamp(static_cast<int>(std::bit_width(bytes)), kMinWindowLog, kMaxWindowLog);
}

Status SetUp(ZSTD_CCtx* context, ByteView base, ByteView plain) {
  const uint64_t total = base.size() + plain.size();
  const auto set = [&](ZSTD_cParameter parameter, int value) {
    return FromZstd(ZSTD_CCtx_setParameter(context, parameter, value), Code::kInternal,
                    "zstd parameter");
  };
  FERRY_TRY(set(ZSTD_c_compressionLevel, LevelFor(total)));
  FERRY_TRY(set(ZSTD_c_checksumFlag, 1));
  FERRY_TRY(set(ZSTD_c_windowLog, base.empty() ? std::min(kPlainWindowLog, WindowLogFor(total))
                                               : WindowLogFor(total)));
  FERRY_TRY(
      FromZstd(ZSTD_CCtx_setPledgedSrcSize(context, plain.size()), Code::kInternal, "zstd size"));
  if (base.empty()) return OkStatus();
  FERRY_TRY(set(ZSTD_c_enableLongDistanceMatching, 1));
  return FromZstd(ZSTD_CCtx_refPrefix(context, base.data(), base.size()), Code::kInternal,
                  "zstd base");
}

// A sink that appends to `out`, turning a failed allocation into a Status.
Sink AppendTo(Bytes& out) {
  return [&out](ByteView piece) {
    try {
      out.insert(out.end(), piece.begin(), piece.end());
    } catch (const std::bad_alloc&) {
      return Status::Of(Code::kOutOfMemory, "{} bytes", out.size() + piece.size());
    }
    return OkStatus();
  };
}

}  // namespace

int LevelFor(uint64_t bytes) {
  return bytes <= (16 << 20) ? 19 : 9;
}

Status CompressTo(ByteView base, ByteView plain, const Sink& sink, const Progress& progress) {
  if (!base.empty() && base.size() + plain.size() > kMaxDeltaBytes) {
    return Status::Of(Code::kLimitExceeded, "a delta over {} bytes, at most {}",
                      base.size() + plain.size(), kMaxDeltaBytes);
  }
  std::unique_ptr<ZSTD_CCtx, FreeCompressor> context(ZSTD_createCCtx());
  if (context == nullptr) return Status(Code::kOutOfMemory, "zstd context");
  FERRY_TRY(SetUp(context.get(), base, plain));
  const size_t piece = BufferBytes(kPieceBytes);
  Bytes buffer(piece);
  for (size_t at = 0;;) {
    const size_t taken = std::min(piece, plain.size() - at);
    const bool last = at + taken == plain.size();
    ZSTD_inBuffer in{plain.data() + at, taken, 0};
    size_t left = 1;
    while (last ? left != 0 : in.pos < in.size) {
      ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
      left = ZSTD_compressStream2(context.get(), &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
      FERRY_TRY(FromZstd(left, Code::kInternal, "compressing"));
      if (out.pos > 0) FERRY_TRY(sink(ByteView(buffer).first(out.pos)));
    }
    at += taken;
    if (progress) progress(at, plain.size());
    if (last) return OkStatus();
  }
}

Result<Bytes> Compress(ByteView plain) {
  return MakeDelta({}, plain);
}

Result<Bytes> MakeDelta(ByteView base, ByteView target) {
  Bytes out;
  FERRY_TRY(CompressTo(base, target, AppendTo(out)));
  return out;
}

struct Decompressor::State {
  ByteView base;
  uint64_t max_bytes;
  Sink sink;
  std::unique_ptr<ZSTD_DCtx, FreeDecompressor> context;
  Status failed;
  Bytes header;  // the first bytes, until the frame's size is known
  Bytes buffer;
  uint64_t given = 0;
  bool started = false;
  bool done = false;

  Code bad() const { return base.empty() ? Code::kCorruptContent : Code::kBadDelta; }

  Status Start() {
    context.reset(ZSTD_createDCtx());
    if (context == nullptr) return Status(Code::kOutOfMemory, "zstd context");
    const int window = base.empty() ? kPlainWindowLog : WindowLogFor(base.size() + max_bytes);
    FERRY_TRY(FromZstd(ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, window),
                       Code::kInternal, "zstd parameter"));
    if (!base.empty()) {
      FERRY_TRY(FromZstd(ZSTD_DCtx_refPrefix(context.get(), base.data(), base.size()),
                         Code::kInternal, "zstd base"));
    }
    buffer.resize(BufferBytes(kPieceBytes));
    started = true;
    return OkStatus();
  }

  // Collects the frame header and checks the size that it records. True once decoding may go on.
  Result<bool> Begin(ByteView& piece) {
    while (!piece.empty() && header.size() < kFrameHeaderBytes) {
      header.push_back(piece.front());
      piece = piece.subspan(1);
      const auto size = ZSTD_getFrameContentSize(header.data(), header.size());
      if (size == ZSTD_CONTENTSIZE_ERROR) continue;  // also: not enough bytes yet
      if (size == ZSTD_CONTENTSIZE_UNKNOWN) {
        return Status(bad(), "the compressed frame does not record its size");
      }
      if (size > max_bytes) {
        return Status::Of(Code::kLimitExceeded, "would decompress to {} bytes, at most {}", size,
                          max_bytes);
      }
      FERRY_TRY(Start());
      return true;
    }
    if (header.size() < kFrameHeaderBytes) return false;
    return Status(bad(), "not a zstd frame");
  }

  Status Feed(ByteView piece) {
    ZSTD_inBuffer in{piece.data(), piece.size(), 0};
    size_t produced = 0;
    do {
      if (done && in.pos < in.size) return Status(bad(), "bytes after the end of the frame");
      ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
      const size_t left = ZSTD_decompressStream(context.get(), &out, &in);
      FERRY_TRY(FromZstd(left, bad(), "decompressing"));
      produced = out.pos;
      given += produced;
      if (given > max_bytes) {
        return Status::Of(Code::kLimitExceeded, "decompresses to more than {} bytes", max_bytes);
      }
      if (produced > 0) FERRY_TRY(sink(ByteView(buffer).first(produced)));
      done = left == 0;
    } while (in.pos < in.size || (produced == buffer.size() && !done));
    return OkStatus();
  }

  Status Take(ByteView piece) {
    if (!started) {
      FERRY_ASSIGN_OR_RETURN(const bool ready, Begin(piece));
      if (!ready) return OkStatus();
      FERRY_TRY(Feed(header));
    }
    return piece.empty() ? OkStatus() : Feed(piece);
  }
};

Decompressor::Decompressor(ByteView base, uint64_t max_bytes, Sink sink)
    : state_(new State{base, max_bytes, std::move(sink), {}, {}, {}, {}}) {}

Decompressor::~Decompressor() = default;

Status Decompressor::Write(ByteView piece) {
  if (state_->failed.ok()) state_->failed = state_->Take(piece);
  return state_->failed;
}

Status Decompressor::Finish() {
  if (!state_->failed.ok()) return state_->failed;
  if (state_->done) return OkStatus();
  return Status(Code::kTruncatedContent, "the compressed frame ends too early");
}

Result<Bytes> Decompress(ByteView compressed, uint64_t max_bytes) {
  return ApplyDelta({}, compressed, max_bytes);
}

Result<Bytes> ApplyDelta(ByteView base, ByteView delta, uint64_t max_bytes) {
  Bytes out;
  Decompressor decompressor(base, max_bytes, AppendTo(out));
  FERRY_TRY(decompressor.Write(delta));
  FERRY_TRY(decompressor.Finish());
  return out;
}

}  // namespace ferry::package
