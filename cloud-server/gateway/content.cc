#include "cloud-server/gateway/content.h"

#include <charconv>

#include "common/crypto/hash.h"

namespace ferry::server {
namespace {

constexpr std::string_view kBearer = "Bearer ";

std::string Mac(const crypto::Secret32& secret, std::string_view signed_part) {
  std::string message = "ferry content v1.";
  message += signed_part;
  return ToHex(crypto::HmacSha256(secret.bytes(), AsBytes(message)));
}

// A sealed file, as long as its device is not blocked. One thread at a time, as all files.
class WatchedFile : public sys::ReadableFile {
 public:
  WatchedFile(std::unique_ptr<sys::ReadableFile> file, Store& store, sys::Clock& clock,
              std::string device, std::shared_ptr<void> transfer, std::shared_ptr<ContentUse> use)
      : file_(std::move(file)),
        store_(store),
        clock_(clock),
        device_(std::move(device)),
        transfer_(std::move(transfer)),
        use_(std::move(use)) {}
  Result<size_t> ReadAt(uint64_t offset, std::span<uint8_t> out) const override {
    const int64_t now_ms = clock_.MonotonicNs() / 1'000'000;
    if (now_ms - looked_ms_ >= kBlockedLookMs) {
      FERRY_TRY(CheckNotBlocked(store_, device_));
      looked_ms_ = now_ms;
    }
    Result<size_t> got = file_->ReadAt(offset, out);
    if (got.ok()) use_->bytes += static_cast<int64_t>(*got);
    return got;
  }
  Result<uint64_t> Size() const override { return file_->Size(); }

 private:
  std::unique_ptr<sys::ReadableFile> file_;
  Store& store_;
  sys::Clock& clock_;
  std::string device_;
  std::shared_ptr<void> transfer_;
  std::shared_ptr<ContentUse> use_;
  mutable int64_t looked_ms_ = 0;
};

Status BadToken() {
  return Status(Code::kUnauthenticated, "content token: unknown or expired");
}

}  // namespace

std::string MakeContentToken(const crypto::Secret32& secret, const std::string& device,
                             int64_t expires_ms) {
  const std::string signed_part = device + "." + std::to_string(expires_ms);
  return signed_part + "." + Mac(secret, signed_part);
}

Result<std::string> CheckContentToken(const crypto::Secret32& secret, std::string_view token,
                                      int64_t now_ms) {
  const size_t last = token.rfind('.');
  if (last == std::string_view::npos) return BadToken();
  const std::string_view signed_part = token.substr(0, last);
  if (!crypto::ConstantTimeEqual(AsBytes(Mac(secret, signed_part)),
                                 AsBytes(token.substr(last + 1)))) {
    return BadToken();
  }
  const size_t middle = signed_part.rfind('.');
  if (middle == std::string_view::npos) return BadToken();
  const std::string_view expiry = signed_part.substr(middle + 1);
  int64_t expires_ms = 0;
  std::from_chars(expiry.data(), expiry.data() + expiry.size(), expires_ms);
  if (expires_ms <= now_ms) return BadToken();
  return std::string(signed_part.substr(0, middle));
}

Status CheckNotBlocked(Store& store, const std::string& device) {
  bool blocked = false;
  const Status read = store.Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const DeviceRow row, tx.devices().Get(device));
    blocked = row.blocked;
    return OkStatus();
  });
  if (read.code() == Code::kNotFound)
    return Status::Of(Code::kUnauthenticated, "device {:.64} is not enrolled here", device);
  if (!read.ok() || !blocked) return OkStatus();
  return Status::Of(Code::kBlocked, "device {} is blocked", device);
}

std::shared_ptr<void> Transfers::Begin(const std::string& device) {
  {
    const std::lock_guard lock(mutex_);
    int& count = of_device_[device];
    if (count >= kMaxTransfersOfDevice) return nullptr;
    ++count;
  }
  return {static_cast<void*>(this),
          [self = shared_from_this(), device](void*) { self->End(device); }};
}

void Transfers::End(const std::string& device) {
  const std::lock_guard lock(mutex_);
  const auto at = of_device_.find(device);
  if (--at->second == 0) of_device_.erase(at);
}

Result<ContentDoor::Asked> ContentDoor::Check(const std::string& path,
                                              const std::string& authorization) {
  if (!path.starts_with(kContentPath)) {
    return Status::Of(Code::kNotFound, "only {}<sha256> is served here", kContentPath);
  }
  if (!authorization.starts_with(kBearer)) return BadToken();
  FERRY_ASSIGN_OR_RETURN(
      std::string device,
      CheckContentToken(secret_, std::string_view(authorization).substr(kBearer.size()),
                        clock_.NowUnixMs()));
  FERRY_TRY(CheckNotBlocked(store_, device));
  const std::string name = path.substr(kContentPath.size());
  if (!IsBlobName(name)) return Status(Code::kNotFound, "not a SHA-256 in lower-case hexadecimal");
  return Asked{std::move(device), name};
}

Result<std::string> ContentDoor::Elsewhere(const std::string& path,
                                           const std::string& authorization) {
  FERRY_ASSIGN_OR_RETURN(const Asked asked, Check(path, authorization));
  if (!redirects_) return std::string();
  Result<std::string> address = blobs_.AddressOf(asked.name, clock_.NowUnixMs(), kElsewhereLifeS);
  if (address.ok() && !address->empty()) ++use_->sent_on;
  return address;
}

Result<sys::Content> ContentDoor::Open(const std::string& path, const std::string& authorization) {
  FERRY_ASSIGN_OR_RETURN(Asked asked, Check(path, authorization));
  const std::string& device = asked.device;
  std::shared_ptr<void> transfer = transfers_->Begin(device);
  if (transfer == nullptr) {
    const Status full = Status::Of(Code::kUnavailable, "{} transfers of this device are under way",
                                   kMaxTransfersOfDevice);
    refusals_.Note("transfers", "device " + device, full.ToString());
    return full;
  }
  FERRY_ASSIGN_OR_RETURN(auto file, blobs_.Open(asked.name));
  FERRY_ASSIGN_OR_RETURN(const uint64_t size, file->Size());
  ++use_->transfers;
  return sys::Content{
      std::make_unique<WatchedFile>(std::move(file), store_, clock_, std::move(asked.device),
                                    std::move(transfer), use_),
      size};
}

}  // namespace ferry::server
