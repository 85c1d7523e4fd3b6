// Envelopes to and from frames, and the exact bytes that a device signs. The messages are in
// wire.proto.
#pragma once

#include <string>
#include <string_view>

#include "common/base/bytes.h"
#include "common/base/status.h"

namespace ferry::proto {

class Envelope;

inline constexpr uint32_t kProtocol = 1;               // Hello.protocol
inline constexpr size_t kMaxEnvelopeBytes = 4 << 20;   // as sys::kMaxFrameBytes
inline constexpr size_t kNonceBytes = 32;              // Challenge.nonce
inline constexpr size_t kMaxErrorTextBytes = 4 << 10;  // Report.error_text, Error.text

// One frame. kLimitExceeded past kMaxEnvelopeBytes, kInvalidArgument without a body.
Result<Bytes> EncodeEnvelope(const Envelope& envelope);
// Replaces `envelope`. kMalformed: not protobuf, text that is not UTF-8, or no body that this
// version knows; kLimitExceeded past kMaxEnvelopeBytes.
Status DecodeEnvelope(ByteView frame, Envelope* envelope);

// What Enroll.proof signs: "ferry enroll v1", then tenant, SHA-256 of the join secret, identity key
// and seal key, each as u32 little-endian length and bytes, so that no two lists of parts look
// alike.
Bytes EnrollMessage(std::string_view tenant, ByteView secret_sha256, ByteView identity_public,
                    ByteView seal_public);
// What Auth.signature signs: "ferry auth v1", then device id and nonce in the same form.
Bytes AuthMessage(std::string_view device_id, ByteView nonce);
// What both signatures of NewKeys sign: "ferry keys v1", then device id, identity and seal key in
// the same form.
Bytes NewKeysMessage(std::string_view device_id, ByteView identity_public, ByteView seal_public);
// Enrolled.device_id: hexadecimal of the first 16 bytes of the identity key's SHA-256.
std::string DeviceIdOf(ByteView identity_sha256);

inline constexpr int kMaxMetricsInReport = 32;  // Report.metrics
inline constexpr size_t kMaxMetricName = 128;   // bytes
// Whether Report.metrics takes it: kMalformed for a name that is empty, too long or no UTF-8, and
// for a value that is not finite.
Status CheckMetric(std::string_view name, double value);

// At most `limit` bytes of `text`, cut between two characters of UTF-8, so that error texts of any
// origin fit a message.
std::string CutText(std::string_view text, size_t limit = kMaxErrorTextBytes);

}  // namespace ferry::proto
