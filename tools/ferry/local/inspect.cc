#include "tools/ferry/local/inspect.h"

#include "common/crypto/seal.h"
#include "common/package/manifest.h"
#include "common/package/reader.h"
#include "common/sys/clock.h"
#include "common/trust/envelope.h"
#include "common/trust/root.h"
#include "common/trust/targets.h"
#include "common/trust/time.h"
#include "tools/ferry/local/given_file.h"
#include "tools/ferry/local/models.h"
#include "tools/ferry/progress.h"
#include "tools/ferry/publisher/bundle.h"

namespace ferry::cli {
namespace {

// What is shown is not good: the error goes after it, and into the JSON with all that is wrong.
void Fail(const Status& error, const std::vector<Status>& damage, Output& out) {
  out.failed = error;
  out.json()["error"] = ErrorJson(error);
  out.json()["damage"] = Json::array();
  for (const Status& one : damage) out.json()["damage"].push_back(one.message());
}

// A package of which only the bytes can be told.
Output Unreadable(const std::string& path, ByteView bytes, const Status& error) {
  Output out;
  const std::string sha256 = crypto::Sha256Hex(bytes);
  out.json() = {{"kind", "package"}, {"plain_sha256", sha256}, {"bytes", bytes.size()}};
  out.text =
      fmt::format("package that cannot be read, {}, SHA-256 {}\n", SizeText(bytes.size()), sha256);
  Fail(error.Context("{}", path), {error}, out);
  return out;
}

Result<Output> InspectPackage(const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(const auto mapped, sys::SystemFileSystem().Map(path));
  const ByteView bytes = mapped->bytes();
  std::vector<Status> damage;
  const auto opened = package::Package::OpenDamaged(bytes, damage);
  if (!opened.ok()) return Unreadable(path, bytes, opened.status());
  const package::Package& package = *opened;
  const package::Manifest& manifest = package.manifest();
  Output out;
  out.json() = {{"kind", "package"},
                {"plain_sha256", crypto::Sha256Hex(package.bytes())},
                {"bytes", package.bytes().size()},
                {"manifest", package::ManifestToJson(manifest)}};
  out.text = fmt::format("package {} {} ({}), {}, SHA-256 {}\n", manifest.name, manifest.version,
                         manifest.content, SizeText(package.bytes().size()),
                         crypto::Sha256Hex(package.bytes()));
  if (manifest.git) out.text += "  " + trust::OriginText(*manifest.git) + "\n";
  for (const package::FileEntry& file : manifest.files) {
    const Status whole = AsStatus(package.VerifiedFile(file.path));
    out.text += fmt::format("  {:<32} {:>12}  {:.12}{}\n", file.path, SizeText(file.length),
                            ToHex(file.sha256), whole.ok() ? "" : "  DAMAGED");
    if (!whole.ok()) damage.push_back(whole);
  }
  if (!damage.empty()) Fail(damage.front().Context("{}", path), damage, out);
  return out;
}

Result<Output> InspectModel(const std::string& path) {
  const auto opened = OpenModel(path);
  Output out;
  if (opened.code() == Code::kUnsupportedOperator && path.ends_with(".onnx")) {
    Status unknown;
    FERRY_ASSIGN_OR_RETURN(out.json(), DescribeUnknown(path, &unknown));
    out.text = fmt::format("model of which operators are missing here\n{}", ModelText(out.json()));
    out.json()["kind"] = "model";
    Fail(unknown.Context("{}", path), {unknown}, out);
    return out;
  }
  FERRY_TRY(opened);
  const auto& model = *opened;
  out.json() = DescribeModel(model);
  out.text = fmt::format("model {}\n{}", model->name(), ModelText(out.json()));
  out.json()["kind"] = "model";
  // Loading leaves this out; an .onnx file, and one of version 1, have no checksum.
  const Status whole = path.ends_with(".fm") ? model->VerifyWeights() : OkStatus();
  if (whole.code() == Code::kCorruptContent) Fail(whole.Context("{}", path), {whole}, out);
  return out;
}

// Verifies against `--root` by the role that the document names.
Status CheckMetadata(const trust::Envelope& envelope, const std::string& type,
                     const std::string& root_file) {
  FERRY_ASSIGN_OR_RETURN(const Bytes document, sys::ReadFile(sys::SystemFileSystem(), root_file,
                                                             trust::kMaxMetadataBytes));
  FERRY_ASSIGN_OR_RETURN(const trust::Root root,
                         trust::ParseSelfSignedRoot(document).Context("{}", root_file));
  const std::pair<const char*, const trust::RoleKeys*> roles[] = {
      {"root", &root.root},           {"targets", &root.targets},     {"snapshot", &root.snapshot},
      {"timestamp", &root.timestamp}, {"assignment", &root.director},
  };
  for (const auto& [name, role] : roles) {
    if (type == name) return trust::VerifyEnvelope(envelope, root.keys, *role, type);
  }
  return Status::Of(Code::kMalformed, "no role \"{:.40}\"", type);
}

// A document without an expiry never expires.
Status CheckExpiry(const Json& signed_part, const std::string& type) {
  FERRY_ASSIGN_OR_RETURN(const std::string expires, GetStringOr(signed_part, "expires", ""));
  if (expires.empty()) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const int64_t expires_ms, trust::ParseTime(expires));
  const int64_t now_ms = sys::SystemClock().NowUnixMs();
  if (expires_ms > now_ms) return OkStatus();
  return Status::Of(Code::kExpired, "{} expired at {}, now is {}", type, expires,
                    trust::FormatTime(now_ms));
}

// The entries of targets, or of one bin, of which the document above alone says how many there are.
Result<trust::TargetMap> EntriesIn(const Json& part) {
  FERRY_ASSIGN_OR_RETURN(const Json* ferry, GetObjectOrNull(part, "ferry"));
  if (ferry == nullptr || !ferry->contains("bin")) {
    FERRY_ASSIGN_OR_RETURN(trust::Targets targets, trust::TargetsFromJson(part));
    return std::move(targets.entries);
  }
  FERRY_ASSIGN_OR_RETURN(const std::string name, GetString(*ferry, "bin"));
  Result<trust::TargetsBin> bin = Status(Code::kMalformed, "no bin has that name");
  for (int bits = 1; bits <= trust::kMaxBinBits && !bin.ok(); ++bits) {
    trust::HashBins bins;
    bins.bit_length = bits;
    if (trust::BinNumber(bins, name)) bin = trust::BinFromJson(part, bins, name);
  }
  FERRY_TRY(bin);
  return std::move(bin->entries);
}

Result<Output> InspectMetadata(const InspectRequest& request, ByteView document) {
  FERRY_ASSIGN_OR_RETURN(const trust::Envelope envelope,
                         trust::ParseEnvelope(document).Context("{}", request.file));
  FERRY_ASSIGN_OR_RETURN(const std::string type,
                         GetString(envelope.signed_part, "_type").Context("{}", request.file));
  Output out;
  Json signers = Json::array();
  for (const trust::Signature& signature : envelope.signatures) signers.push_back(signature.key_id);
  out.json() = {{"kind", "metadata"},
                {"type", type},
                {"sha256", crypto::Sha256Hex(document)},
                {"signed_by", std::move(signers)},
                {"signed", envelope.signed_part},
                {"verified", !request.root.empty()}};
  if (!request.root.empty()) {
    FERRY_TRY(CheckMetadata(envelope, type, request.root).Context("{}", request.file));
    out.failed = CheckExpiry(envelope.signed_part, type).Context("{}", request.file);
  } else if (type == "root") {
    FERRY_TRY(trust::ParseSelfSignedRoot(document).Context("{}", request.file));
    out.json()["verified"] = true;
  }
  if (type == "targets") {
    FERRY_TRY(EntriesIn(envelope.signed_part).Context("{}", request.file));
  }
  out.text = fmt::format("{} metadata, signed by {} keys{}\n{}\n", type, envelope.signatures.size(),
                         out.json()["verified"] == true ? ", verified" : ", not verified (--root)",
                         WriteJsonPretty(envelope.signed_part));
  return out;
}

Result<Output> InspectSealed(const InspectRequest& request, ByteView bytes) {
  const auto plain = crypto::PlainSize(bytes.size());
  if (!plain.ok()) {
    return Status::Of(Code::kMalformed,
                      "{} is no package, model, metadata, bundle or sealed artefact", request.file);
  }
  const std::string sha256 = crypto::Sha256Hex(bytes);
  Output out;
  out.json() = {{"kind", "sealed"}, {"bytes", bytes.size()}, {"sha256", sha256}};
  out.text = fmt::format("perhaps a sealed artefact: {} bytes, SHA-256 {}\n", bytes.size(), sha256);
  if (request.targets.empty()) return out;
  FERRY_ASSIGN_OR_RETURN(
      const Bytes document,
      sys::ReadFile(sys::SystemFileSystem(), request.targets, trust::kMaxMetadataBytes));
  FERRY_ASSIGN_OR_RETURN(const trust::Envelope envelope,
                         trust::ParseEnvelope(document).Context("{}", request.targets));
  FERRY_ASSIGN_OR_RETURN(const trust::TargetMap entries,
                         EntriesIn(envelope.signed_part).Context("{}", request.targets));
  FERRY_ASSIGN_OR_RETURN(const int64_t version, GetInt(envelope.signed_part, "version"));
  for (const auto& [path, entry] : entries) {
    if (ToHex(entry.sha256) != sha256 || entry.length != bytes.size()) continue;
    out.json()["path"] = path;
    out.json()["target"] = trust::TargetEntryToJson(entry);
    out.text = fmt::format("sealed artefact {} of targets version {}, opens to {}\n", path, version,
                           SizeText(entry.plain_length));
    return out;
  }
  return Status::Of(Code::kNotAuthorizedTarget, "{}: targets version {} has no artefact {:.12}",
                    request.file, version, sha256);
}

Result<Output> InspectBundle(const std::string& path) {
  Output out;
  FERRY_ASSIGN_OR_RETURN(const Json header, ReadBundleHeader(path));
  FERRY_ASSIGN_OR_RETURN(const Json* content, GetArray(header, "content"));
  out.json() = {{"kind", "bundle"}, {"content", *content}};
  out.text = fmt::format("publish bundle of {} sealed files\n", content->size());
  return out;
}

}  // namespace

Result<Output> Inspect(const InspectRequest& request) {
  const std::string& path = request.file;
  FERRY_TRY(CheckGiven(path));
  if (request.graph) return InspectGraph(request);
  if (path.ends_with(".onnx") || path.ends_with(".fm")) return InspectModel(path);
  FERRY_ASSIGN_OR_RETURN(const auto file, sys::SystemFileSystem().Map(path));
  const ByteView bytes = file->bytes();
  const std::string_view text = AsText(bytes);
  if (path.ends_with(".fpk") || text.starts_with(package::kPackageMagic)) {
    return InspectPackage(path);
  }
  if (text.starts_with(kBundleMagic)) return InspectBundle(path);
  if (path.ends_with(".json") || text.starts_with("{")) return InspectMetadata(request, bytes);
  return InspectSealed(request, bytes);
}

}  // namespace ferry::cli
