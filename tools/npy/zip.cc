#include "tools/npy/zip.h"

#include <zlib.h>

#include <algorithm>

namespace ferry::npy {
namespace {

constexpr uint32_t kEndMark = 0x06054b50, kEnd64Mark = 0x06064b50, kLocator64Mark = 0x07064b50;
constexpr uint32_t kCentralMark = 0x02014b50, kLocalMark = 0x04034b50;
constexpr size_t kEndBytes = 22, kEnd64Bytes = 56, kLocatorBytes = 20;
constexpr size_t kCentralBytes = 46, kLocalBytes = 30;
constexpr size_t kMaxComment = 65'535;
constexpr uint32_t kIn64 = 0xffffffff;  // the number stands in the ZIP64 field
// Deflate makes at most this many bytes of one.
constexpr uint64_t kMaxRatio = 1032;

uint32_t U16(const uint8_t* at) {
  return at[0] | uint32_t{at[1]} << 8;
}

struct Directory {
  uint64_t offset = 0;
  uint64_t size = 0;
  uint64_t entries = 0;
};

Result<Directory> FindDirectory(ByteView archive) {
  if (archive.size() < kEndBytes) return Status(Code::kMalformed, "not a ZIP archive");
  const size_t lowest = archive.size() - std::min(archive.size(), kEndBytes + kMaxComment);
  for (size_t at = archive.size() - kEndBytes;; --at) {
    const uint8_t* end = archive.data() + at;
    if (GetU32(end) == kEndMark) {
      Directory out{GetU32(end + 16), GetU32(end + 12), U16(end + 10)};
      if (at < kLocatorBytes || GetU32(end - kLocatorBytes) != kLocator64Mark) return out;
      const uint64_t end64 = GetU64(end - kLocatorBytes + 8);
      if (end64 > archive.size() || archive.size() - end64 < kEnd64Bytes ||
          GetU32(archive.data() + end64) != kEnd64Mark) {
        return Status(Code::kMalformed, "a broken ZIP64 directory");
      }
      const uint8_t* wide = archive.data() + end64;
      return Directory{GetU64(wide + 48), GetU64(wide + 40), GetU64(wide + 32)};
    }
    if (at == lowest) return Status(Code::kMalformed, "not a ZIP archive, or one that is cut");
  }
}

struct ZipHeader {
  std::string name;
  uint32_t flags = 0, method = 0, crc = 0;
  uint64_t packed = 0, size = 0, offset = 0;
};

// Numbers that do not fit in 32 bits, in the order of the directory's fields.
Status ReadWide(ByteView extra, ZipHeader& header) {
  while (extra.size() >= 4) {
    const size_t length = U16(extra.data() + 2);
    if (length > extra.size() - 4) return Status(Code::kMalformed, "a broken extra field");
    if (U16(extra.data()) == 1) {
      ByteView wide = extra.subspan(4, length);
      for (uint64_t* number : {&header.size, &header.packed, &header.offset}) {
        if (*number != kIn64) continue;
        if (wide.size() < 8) return Status(Code::kMalformed, "a broken ZIP64 field");
        *number = GetU64(wide.data());
        wide = wide.subspan(8);
      }
    }
    extra = extra.subspan(4 + length);
  }
  return OkStatus();
}

// Reads one entry of the directory and moves behind it.
Result<ZipHeader> NextHeader(ByteView& directory) {
  if (directory.size() < kCentralBytes || GetU32(directory.data()) != kCentralMark) {
    return Status(Code::kMalformed, "a broken directory");
  }
  const uint8_t* at = directory.data();
  const size_t name = U16(at + 28), extra = U16(at + 30), comment = U16(at + 32);
  if (name + extra + comment > directory.size() - kCentralBytes) {
    return Status(Code::kMalformed, "a directory that is cut");
  }
  ZipHeader header{std::string(AsText(directory.subspan(kCentralBytes, name))),
                   U16(at + 8),
                   U16(at + 10),
                   GetU32(at + 16),
                   GetU32(at + 20),
                   GetU32(at + 24),
                   GetU32(at + 42)};
  FERRY_TRY(ReadWide(directory.subspan(kCentralBytes + name, extra), header)
                .Context("entry '{:.80}'", header.name));
  directory = directory.subspan(kCentralBytes + name + extra + comment);
  return header;
}

Result<ByteView> PackedBytes(ByteView archive, const ZipHeader& header) {
  if (header.offset > archive.size() || archive.size() - header.offset < kLocalBytes ||
      GetU32(archive.data() + header.offset) != kLocalMark) {
    return Status(Code::kMalformed, "its local header is not there");
  }
  const uint8_t* local = archive.data() + header.offset;
  const ByteView rest = archive.subspan(static_cast<size_t>(header.offset) + kLocalBytes);
  const size_t skip = U16(local + 26) + U16(local + 28);
  if (skip > rest.size() || header.packed > rest.size() - skip) {
    return Status(Code::kMalformed, "it is cut");
  }
  return rest.subspan(skip, static_cast<size_t>(header.packed));
}

// zlib counts in 32 bits: larger pieces go through in steps.
Status Inflate(ByteView packed, Bytes& out) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return Status(Code::kOutOfMemory, "inflating");
  constexpr size_t kStep = size_t{1} << 30;
  size_t in_at = 0, out_at = 0;
  int state = Z_OK;
  uint8_t spare = 0;  // tells an end from a stream that wants to go on
  while (state == Z_OK) {
    const size_t in = std::min(kStep, packed.size() - in_at);
    const size_t room = std::min(kStep, out.size() - out_at);
    stream.next_in = const_cast<uint8_t*>(packed.data()) + in_at;
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = room > 0 ? out.data() + out_at : &spare;
    stream.avail_out = static_cast<uInt>(std::max<size_t>(room, 1));
    state = inflate(&stream, Z_NO_FLUSH);
    const size_t made = std::max<size_t>(room, 1) - stream.avail_out;
    in_at += in - stream.avail_in;
    if (made > room) break;
    out_at += made;
  }
  inflateEnd(&stream);
  if (state == Z_STREAM_END && out_at == out.size()) return OkStatus();
  return Status(Code::kMalformed, "its compressed bytes are broken");
}

Result<Bytes> Open(ByteView archive, const ZipHeader& header) {
  if ((header.flags & 1) != 0) return Status(Code::kUnsupported, "it is encrypted");
  if (header.method != 0 && header.method != 8) {
    return Status::Of(Code::kUnsupported, "compression method {}", header.method);
  }
  FERRY_ASSIGN_OR_RETURN(const ByteView packed, PackedBytes(archive, header));
  if (header.method == 0 ? header.size != packed.size() : header.size / kMaxRatio > packed.size()) {
    return Status::Of(Code::kMalformed, "{} bytes cannot hold {}", packed.size(), header.size);
  }
  Bytes content;
  if (header.method == 0) {
    content = ToBytes(packed);
  } else {
    content.resize(static_cast<size_t>(header.size));
    FERRY_TRY(Inflate(packed, content));
  }
  if (crc32_z(crc32_z(0, nullptr, 0), content.data(), content.size()) != header.crc) {
    return Status(Code::kMalformed, "its checksum does not match");
  }
  return content;
}

}  // namespace

Result<std::vector<ZipEntry>> ReadZip(ByteView archive, uint64_t limit) {
  FERRY_ASSIGN_OR_RETURN(const Directory directory, FindDirectory(archive));
  if (directory.entries > kMaxZipEntries) {
    return Status::Of(Code::kLimitExceeded, "more than {} entries", kMaxZipEntries);
  }
  if (directory.offset > archive.size() || directory.size > archive.size() - directory.offset) {
    return Status(Code::kMalformed, "its directory is cut");
  }
  ByteView rest =
      archive.subspan(static_cast<size_t>(directory.offset), static_cast<size_t>(directory.size));
  std::vector<ZipEntry> entries;
  uint64_t total = 0;
  for (uint64_t i = 0; i < directory.entries; ++i) {
    FERRY_ASSIGN_OR_RETURN(ZipHeader header, NextHeader(rest));
    if (header.size > limit || total > limit - header.size) {
      return Status::Of(Code::kLimitExceeded, "its entries pass {} bytes", limit);
    }
    total += header.size;
    Result<Bytes> content = Open(archive, header);
    if (!content.ok()) return content.status().Context("entry '{:.80}'", header.name);
    entries.push_back({std::move(header.name), *std::move(content)});
  }
  return entries;
}

}  // namespace ferry::npy
