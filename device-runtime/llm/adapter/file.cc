// An adapter's file: the form of model files (file/format.h).
#include <map>

#include "common/base/json.h"
#include "common/crypto/hash.h"
#include "device-runtime/llm/adapter/bind.h"
#include "device-runtime/llm/file/format.h"
#include "device-runtime/llm/file/header.h"
#include "device-runtime/llm/file/reader.h"

namespace ferry::llm {
namespace {

constexpr const char* kDown = ".lora_A";
constexpr const char* kUp = ".lora_B";

Result<Json> AdapterSection(ByteView file, const std::vector<Section>& sections) {
  for (const Section& section : sections) {
    if (section.kind != kAdapterSection) continue;
    return ParseJson(AsText(file.subspan(section.offset, section.bytes)))
        .Context("section \"{}\"", section.name);
  }
  return Status(Code::kBadModel, "no adapter: there is no section \"adapter\"");
}

Result<StoredTensor> TensorOfFile(ByteView file,
                                  const std::map<std::string, const Section*>& tensors,
                                  const std::string& name) {
  const auto it = tensors.find(name);
  if (it == tensors.end()) {
    return Status::Of(Code::kBadModel, "there is no tensor \"{}\"", name);
  }
  const Section& section = *it->second;
  FERRY_ASSIGN_OR_RETURN(StoredTensor tensor,
                         ReadTensorSection(section, file.subspan(section.offset, section.bytes)));
  if (tensor.type.packed || tensor.type.rows == kernels::WeightType::kI8) {
    return Status::Of(Code::kUnsupported, "tensor \"{}\" is of {}; adapters are f32 or bf16", name,
                      MatrixTypeName(tensor.type));
  }
  tensor.where = "adapter file";
  return tensor;
}

Section TensorSection(const std::string& name, const kernels::WeightMatrix& matrix) {
  Section section{.name = name, .kind = kTensorKind};
  section.bytes = TensorSectionBytes(matrix.type, static_cast<uint64_t>(matrix.rows),
                                     static_cast<uint64_t>(matrix.columns));
  section.type.emplace();
  section.type->rows = matrix.type;
  section.shape = {matrix.rows, matrix.columns};
  return section;
}

}  // namespace

Result<AdapterParts> ReadAdapterFile(ByteView file, std::shared_ptr<const void> owner) {
  FERRY_ASSIGN_OR_RETURN(const std::vector<Section> sections, ReadHeader(file));
  FERRY_ASSIGN_OR_RETURN(const Json json, AdapterSection(file, sections));
  FERRY_TRY(CheckSections(file, sections));
  AdapterParts parts;
  parts.source = "adapter file";
  parts.owners.push_back(std::move(owner));
  std::map<std::string, const Section*> tensors;
  for (const Section& section : sections) {
    if (section.kind == kTensorKind) {
      tensors[section.name] = &section;
    } else if (section.kind != kAdapterSection && !section.optional) {
      return Status::Of(Code::kUnsupported, "section \"{}\" is of unknown kind \"{}\"",
                        section.name, section.kind);
    }
  }
  FERRY_ASSIGN_OR_RETURN(const std::string hex, GetString(json, "base"));
  FERRY_ASSIGN_OR_RETURN(const Bytes digest, FromHex(hex).Context("member \"base\""));
  FERRY_ASSIGN_OR_RETURN(parts.base_name, GetString(json, "family"));
  parts.base.emplace();
  if (digest.size() != parts.base->size()) {
    return Status(Code::kBadModel, "member \"base\" is no SHA-256");
  }
  std::copy(digest.begin(), digest.end(), parts.base->begin());
  FERRY_ASSIGN_OR_RETURN(const Json* list, GetArray(json, "tensors"));
  for (const Json& entry : *list) {
    AdapterParts::Change change;
    FERRY_ASSIGN_OR_RETURN(change.name, GetString(entry, "name"));
    FERRY_ASSIGN_OR_RETURN(change.scale, GetNumber(entry, "scale"));
    FERRY_ASSIGN_OR_RETURN(change.a, TensorOfFile(file, tensors, change.name + kDown));
    FERRY_ASSIGN_OR_RETURN(change.b, TensorOfFile(file, tensors, change.name + kUp));
    change.rank = change.a.shape[0];
    parts.changes.push_back(std::move(change));
  }
  if (parts.changes.size() * 2 == tensors.size()) return parts;
  return Status::Of(Code::kBadModel, "{} tensors, of which {} pairs are named", tensors.size(),
                    parts.changes.size());
}

Result<AdapterParts> ReadAdapter(sys::FileSystem& fs, const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(const sys::FileInfo info, fs.Stat(path));
  if (info.is_directory) return ReadPeftFolder(fs, path);
  FERRY_ASSIGN_OR_RETURN(std::shared_ptr<const sys::MappedFile> file, fs.Map(path));
  const ByteView bytes = file->bytes();
  FERRY_ASSIGN_OR_RETURN(AdapterParts parts,
                         ReadAdapterFile(bytes, std::move(file)).Context("{}", path));
  parts.source = path;
  return parts;
}

bool IsAdapter(sys::FileSystem& fs, const std::string& path) {
  const Result<sys::FileInfo> info = fs.Stat(path);
  if (!info.ok()) return false;
  if (info->is_directory) return sys::Exists(fs, sys::JoinPath(path, "adapter_config.json"));
  const auto file = fs.Map(path);
  if (!file.ok()) return false;
  const auto sections = ReadHeader((*file)->bytes());
  if (!sections.ok()) return false;
  return std::any_of(sections->begin(), sections->end(),
                     [](const Section& section) { return section.kind == kAdapterSection; });
}

Result<int64_t> WriteAdapterFile(sys::FileSystem& fs, const Adapter& adapter,
                                 const std::string& path) {
  Json list = Json::array();
  std::vector<Section> sections(1);
  std::vector<ByteView> contents(1);
  for (const LowRank& low : adapter.changes()) {
    list.push_back({{"name", low.name}, {"scale", low.scale}});
    sections.push_back(TensorSection(low.name + kDown, low.a));
    sections.push_back(TensorSection(low.name + kUp, low.b));
    for (const kernels::WeightMatrix* matrix : {&low.a, &low.b}) {
      contents.push_back({static_cast<const uint8_t*>(matrix->data),
                          static_cast<size_t>(sections[contents.size()].bytes)});
    }
  }
  const std::string text = WriteJson({{"base", ToHex(adapter.base().digest())},
                                      {"family", adapter.base().config().architecture},
                                      {"tensors", std::move(list)}});
  sections[0] = {.name = kAdapterSection, .kind = kAdapterSection, .bytes = text.size()};
  contents[0] = AsBytes(text);
  for (size_t i = 0; i < sections.size(); ++i) sections[i].sha256 = crypto::Sha256(contents[i]);
  Bytes file = WriteHeader(&sections);
  for (size_t i = 0; i < sections.size(); ++i) {
    file.resize(sections[i].offset);
    file.insert(file.end(), contents[i].begin(), contents[i].end());
  }
  FERRY_TRY(sys::WriteFileAtomically(fs, path, file));
  return static_cast<int64_t>(file.size());
}

}  // namespace ferry::llm
