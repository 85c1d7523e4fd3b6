#include "device-runtime/llm/file/header.h"

#include <algorithm>
#include <set>

#include "common/base/json.h"
#include "common/crypto/hash.h"
#include "device-runtime/llm/file/format.h"

namespace ferry::llm {
namespace {

constexpr size_t kChecksumAt = 16;
constexpr size_t kZerosAt = 48;

Digest HeaderChecksum(ByteView prefix, ByteView header) {
  crypto::Sha256Stream sha;
  sha.Update(prefix.first(kChecksumAt));
  sha.Update(prefix.subspan(kZerosAt, kModelFilePrefix - kZerosAt));
  sha.Update(header);
  return sha.Finish();
}

std::string HeaderText(const std::vector<Section>& sections) {
  Json list = Json::array();
  for (const Section& section : sections) {
    Json entry = {{"name", section.name},
                  {"kind", section.kind},
                  {"offset", section.offset},
                  {"bytes", section.bytes},
                  {"sha256", ToHex(section.sha256)}};
    if (section.optional) entry["optional"] = true;
    if (section.type) WriteMatrixType(*section.type, &entry);
    if (!section.shape.empty()) entry["shape"] = section.shape;
    list.push_back(std::move(entry));
  }
  return WriteJson({{"sections", std::move(list)}});
}

Status Bad(std::string_view section, std::string_view what) {
  return Status::Of(Code::kBadModel, "section \"{}\" {}", section, what);
}

Result<Section> ReadEntry(const Json& entry) {
  Section section;
  FERRY_ASSIGN_OR_RETURN(section.name, GetString(entry, "name"));
  FERRY_ASSIGN_OR_RETURN(section.kind, GetString(entry, "kind"));
  FERRY_ASSIGN_OR_RETURN(const int64_t offset, GetInt(entry, "offset"));
  FERRY_ASSIGN_OR_RETURN(const int64_t bytes, GetInt(entry, "bytes"));
  FERRY_ASSIGN_OR_RETURN(const std::string hex, GetString(entry, "sha256"));
  FERRY_ASSIGN_OR_RETURN(const Bytes sha256, FromHex(hex));
  FERRY_ASSIGN_OR_RETURN(section.optional, GetBoolOr(entry, "optional", false));
  if (offset < 0 || bytes < 0) return Bad(section.name, "has a negative place");
  if (sha256.size() != section.sha256.size()) return Bad(section.name, "has no SHA-256");
  section.offset = static_cast<uint64_t>(offset);
  section.bytes = static_cast<uint64_t>(bytes);
  std::copy(sha256.begin(), sha256.end(), section.sha256.begin());
  if (entry.contains("type")) {
    FERRY_ASSIGN_OR_RETURN(section.type,
                           ReadMatrixType(entry).Context("tensor \"{}\"", section.name));
  }
  FERRY_ASSIGN_OR_RETURN(const Json* shape, GetArrayOrNull(entry, "shape"));
  if (shape == nullptr) return section;
  for (const Json& extent : *shape) {
    if (!extent.is_number_unsigned() || extent.get<uint64_t>() > INT32_MAX) {
      return Bad(section.name, "has an extent that cannot be");
    }
    section.shape.push_back(extent.get<int64_t>());
  }
  return section;
}

// That sections lie one behind another from `end` on, to the end of the file.
Status CheckPlaces(ByteView file, uint64_t end, const std::vector<Section>& sections) {
  std::set<std::string_view> names;
  for (const Section& section : sections) {
    if (!names.insert(section.name).second) return Bad(section.name, "is there twice");
    if (section.offset != AlignedToSection(end)) {
      return Bad(section.name,
                 fmt::format("lies at {}, wanted {}", section.offset, AlignedToSection(end)));
    }
    if (section.offset > file.size() || section.bytes > file.size() - section.offset) {
      return Bad(section.name, fmt::format("of {} bytes at {} passes the file's {} bytes",
                                           section.bytes, section.offset, file.size()));
    }
    const ByteView gap = file.subspan(end, section.offset - end);
    if (std::any_of(gap.begin(), gap.end(), [](uint8_t byte) { return byte != 0; })) {
      return Bad(section.name, "has other bytes than zeros before it");
    }
    end = section.offset + section.bytes;
  }
  if (end == file.size()) return OkStatus();
  return Status::Of(Code::kBadModel, "{} bytes behind the last section", file.size() - end);
}

}  // namespace

Bytes WriteHeader(std::vector<Section>* sections, uint32_t version) {
  // Offsets have digits that lengthen the header that they follow: place until nothing moves. Ends,
  // as offsets only grow.
  std::string text;
  for (bool moved = true; moved;) {
    text = HeaderText(*sections);
    moved = false;
    uint64_t end = kModelFilePrefix + text.size();
    for (Section& section : *sections) {
      const uint64_t offset = AlignedToSection(end);
      moved = moved || offset != section.offset;
      section.offset = offset;
      end = offset + section.bytes;
    }
  }
  Bytes result(kModelFilePrefix);
  std::copy(kModelFileMagic.begin(), kModelFileMagic.end(), result.begin());
  PutU32(result.data() + 8, version);
  PutU32(result.data() + 12, static_cast<uint32_t>(text.size()));
  const Digest checksum = HeaderChecksum(result, AsBytes(text));
  std::copy(checksum.begin(), checksum.end(), result.begin() + kChecksumAt);
  result.insert(result.end(), text.begin(), text.end());
  return result;
}

Result<std::vector<Section>> ReadHeader(ByteView file) {
  if (file.size() < kModelFilePrefix ||
      !std::equal(kModelFileMagic.begin(), kModelFileMagic.end(), file.begin())) {
    return Status(Code::kBadModel, "no Ferry model file (.flm)");
  }
  const uint32_t version = GetU32(file.data() + 8);
  if (version == 0 || version > kModelFileVersion) {
    return Status::Of(Code::kUnsupported,
                      "a Ferry model file of version {}; this Ferry reads up to version {}",
                      version, kModelFileVersion);
  }
  const uint64_t header_bytes = GetU32(file.data() + 12);
  if (header_bytes > kMaxModelFileHeader || header_bytes > file.size() - kModelFilePrefix) {
    return Status::Of(Code::kBadModel, "the header of {} bytes passes the file or {} bytes",
                      header_bytes, kMaxModelFileHeader);
  }
  const ByteView header = file.subspan(kModelFilePrefix, header_bytes);
  const Digest checksum = HeaderChecksum(file.first(kModelFilePrefix), header);
  if (!std::equal(checksum.begin(), checksum.end(), file.begin() + kChecksumAt)) {
    return Status(Code::kBadModel, "the header is damaged: its checksum differs");
  }
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(AsText(header)).Context("the header"));
  FERRY_ASSIGN_OR_RETURN(const Json* list, GetArray(json, "sections").Context("the header"));
  std::vector<Section> sections;
  for (const Json& entry : *list) {
    FERRY_ASSIGN_OR_RETURN(Section section,
                           ReadEntry(entry).Context("section {} of the header", sections.size()));
    sections.push_back(std::move(section));
  }
  FERRY_TRY(CheckPlaces(file, kModelFilePrefix + header_bytes, sections));
  return sections;
}

}  // namespace ferry::llm
