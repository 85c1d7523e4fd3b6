#include "pipeline/log/identity.h"

#include "common/crypto/aead.h"
#include "common/crypto/hash.h"
#include "pipeline/log/block/bytes.h"

namespace ferry::log {
namespace {

constexpr std::string_view kIdentityMagic = "FERRYLID";
constexpr uint8_t kIdentityFormat = 1;
constexpr size_t kIdBytes = 16;
constexpr uint64_t kMaxIdentityBytes = 256;
constexpr const char* kFiles[] = {"identity.a", "identity.b"};

crypto::Secret32 WrappingKey(const crypto::Secret32& app_key, std::string_view log_id) {
  const auto prk = crypto::HkdfSha256Extract(AsBytes(log_id), app_key.bytes());
  Bytes key = crypto::HkdfSha256Expand(prk, AsBytes("ferry log identity"), 32).value();
  crypto::Secret32 out = crypto::Secret32::From(key, "wrapping key").value();
  crypto::Wipe(key);
  return out;
}

std::string Write(const Identity& identity, const std::optional<crypto::Secret32>& app_key,
                  sys::Random& random) {
  ByteWriter out;
  out.Raw(kIdentityMagic);
  out.U8(kIdentityFormat);
  out.U8(identity.log_key ? 1 : 0);
  out.Raw(identity.log_id);
  out.U64(identity.version);
  out.U64(identity.first_segment);
  out.U64(identity.next);
  if (identity.log_key) {
    uint8_t nonce[crypto::kAeadNonceBytes];
    random.Fill(nonce);
    uint8_t wrapped[32 + crypto::kAeadTagBytes];
    crypto::Aead(WrappingKey(*app_key, identity.log_id).bytes())
        .Seal(nonce, AsBytes(out.out()), identity.log_key->bytes(), wrapped);
    out.Raw(AsText(nonce));
    out.Raw(AsText(wrapped));
  }
  out.U32(Checksum("", out.out()));
  return out.Take();
}

Result<Identity> Parse(std::string_view bytes, const std::optional<crypto::Secret32>& app_key) {
  ByteReader in(bytes);
  Identity out;
  const std::string_view magic = in.Raw(kIdentityMagic.size());
  const uint8_t format = in.U8(), sealed = in.U8();
  out.log_id = in.Raw(kIdBytes);
  out.version = in.U64();
  out.first_segment = in.U64();
  out.next = in.U64();
  const std::string_view aad = bytes.substr(0, bytes.size() - in.left());
  const std::string_view nonce = sealed ? in.Raw(crypto::kAeadNonceBytes) : "";
  const std::string_view wrapped = sealed ? in.Raw(32 + crypto::kAeadTagBytes) : "";
  const std::string_view covered = bytes.substr(0, bytes.size() - in.left());
  if (in.U32() != Checksum("", covered) || !in.ok() || !in.at_end() || magic != kIdentityMagic)
    return Status(Code::kMalformed, "the log's identity is damaged");
  if (format != kIdentityFormat)
    return Status::Of(Code::kUnsupported, "a log of format {}", format);
  if (!sealed) return out;
  if (!app_key) return Status(Code::kWrongKey, "the log is sealed");
  uint8_t key[32];
  if (!crypto::Aead(WrappingKey(*app_key, out.log_id).bytes())
           .Open(AsBytes(nonce), AsBytes(aad), AsBytes(wrapped), key))
    return Status(Code::kWrongKey, "the log is sealed under another key");
  out.log_key = crypto::Secret32::From(key, "log key").value();
  crypto::Wipe(key);
  return out;
}

}  // namespace

Result<std::optional<Identity>> LoadIdentity(sys::FileSystem& fs, const std::string& directory,
                                             const std::optional<crypto::Secret32>& app_key,
                                             sys::Random& random) {
  std::optional<Identity> best;
  bool differ = false;
  for (const char* file : kFiles) {
    const auto bytes = sys::ReadFile(fs, sys::JoinPath(directory, file), kMaxIdentityBytes);
    if (!bytes.ok() && bytes.code() == Code::kIo) return bytes.status();
    Result<Identity> one = bytes.ok() ? Parse(AsText(*bytes), app_key) : bytes.status();
    if (one.code() == Code::kWrongKey || one.code() == Code::kUnsupported) return one.status();
    differ = differ || !one.ok() || (best && best->version != one->version);
    if (one.ok() && (!best || one->version > best->version)) best = std::move(*one);
  }
  if (best && differ) FERRY_TRY(SaveIdentity(fs, directory, app_key, random, &*best));
  return best;
}

Status SaveIdentity(sys::FileSystem& fs, const std::string& directory,
                    const std::optional<crypto::Secret32>& app_key, sys::Random& random,
                    Identity* identity) {
  ++identity->version;
  const std::string bytes = Write(*identity, app_key, random);
  for (const char* file : kFiles)
    FERRY_TRY(sys::WriteFileAtomically(fs, sys::JoinPath(directory, file), AsBytes(bytes)));
  return OkStatus();
}

}  // namespace ferry::log
