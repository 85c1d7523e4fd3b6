#include "common/proto/envelope.h"

#include <google/protobuf/stubs/logging.h>

#include <cmath>

#include "common/proto/wire.pb.h"

namespace ferry::proto {
namespace {

void PutPart(Bytes* out, ByteView part) {
  uint8_t length[4];
  PutU32(length, static_cast<uint32_t>(part.size()));
  out->insert(out->end(), length, length + 4);
  out->insert(out->end(), part.begin(), part.end());
}

// Length of the valid UTF-8 character at `at`, or 0.
size_t CharacterLength(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[at + i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || at + length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const uint8_t second = byte(1);
  if (lead == 0xe0 && second < 0xa0) return 0;  // overlong
  if (lead == 0xed && second > 0x9f) return 0;  // surrogates
  if (lead == 0xf0 && second < 0x90) return 0;  // overlong
  if (lead == 0xf4 && second > 0x8f) return 0;  // above U+10FFFF
  return length;
}

}  // namespace

Result<Bytes> EncodeEnvelope(const Envelope& envelope) {
  if (envelope.body_case() == Envelope::BODY_NOT_SET) {
    return Status(Code::kInvalidArgument, "an envelope without a body");
  }
  const size_t size = envelope.ByteSizeLong();
  if (size > kMaxEnvelopeBytes) {
    return Status::Of(Code::kLimitExceeded, "an envelope of {} bytes, at most {}", size,
                      kMaxEnvelopeBytes);
  }
  Bytes frame(size);
  if (!envelope.SerializeToArray(frame.data(), static_cast<int>(size))) {
    return Status(Code::kInternal, "an envelope could not be written");
  }
  return frame;
}

Status DecodeEnvelope(ByteView frame, Envelope* envelope) {
  // Bad frames come from outside: protobuf shall not write to standard error about each.
  [[maybe_unused]] static const auto silenced = google::protobuf::SetLogHandler(nullptr);
  if (frame.size() > kMaxEnvelopeBytes) {
    return Status::Of(Code::kLimitExceeded, "an envelope of {} bytes, at most {}", frame.size(),
                      kMaxEnvelopeBytes);
  }
  if (!envelope->ParseFromArray(frame.data(), static_cast<int>(frame.size()))) {
    envelope->Clear();
    return Status::Of(Code::kMalformed, "a frame of {} bytes is no envelope", frame.size());
  }
  if (envelope->body_case() == Envelope::BODY_NOT_SET) {
    return Status::Of(Code::kMalformed, "an envelope of {} bytes without a known body",
                      frame.size());
  }
  return OkStatus();
}

Bytes EnrollMessage(std::string_view tenant, ByteView secret_sha256, ByteView identity_public,
                    ByteView seal_public) {
  Bytes message = ToBytes("ferry enroll v1");
  PutPart(&message, AsBytes(tenant));
  PutPart(&message, secret_sha256);
  PutPart(&message, identity_public);
  PutPart(&message, seal_public);
  return message;
}

Bytes AuthMessage(std::string_view device_id, ByteView nonce) {
  Bytes message = ToBytes("ferry auth v1");
  PutPart(&message, AsBytes(device_id));
  PutPart(&message, nonce);
  return message;
}

Bytes NewKeysMessage(std::string_view device_id, ByteView identity_public, ByteView seal_public) {
  Bytes message = ToBytes("ferry keys v1");
  PutPart(&message, AsBytes(device_id));
  PutPart(&message, identity_public);
  PutPart(&message, seal_public);
  return message;
}

std::string DeviceIdOf(ByteView identity_sha256) {
  return ToHex(identity_sha256.first(std::min<size_t>(16, identity_sha256.size())));
}

Status CheckMetric(std::string_view name, double value) {
  if (name.empty() || name.size() > kMaxMetricName || CutText(name) != name)
    return Status::Of(Code::kMalformed, "a metric's name has 1 to {} bytes of UTF-8",
                      kMaxMetricName);
  if (std::isfinite(value)) return OkStatus();
  return Status::Of(Code::kMalformed, "metric {}: {} is no finite number", name, value);
}

std::string CutText(std::string_view text, size_t limit) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t length = CharacterLength(text, at);
    const std::string_view piece = length == 0 ? "?" : text.substr(at, length);
    if (out.size() + piece.size() > limit) break;
    out += piece;
    at += length == 0 ? 1 : length;
  }
  return out;
}

}  // namespace ferry::proto
