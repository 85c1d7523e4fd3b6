// Messages of the wire from what the agent knows, and back.
#pragma once

#include "common/proto/wire.pb.h"
#include "device-runtime/agent/state/identity.h"
#include "device-runtime/agent/state/journal.h"
#include "device-runtime/agent/state/slots.h"
#include "policy/target/attributes.h"

namespace ferry::agent {

// Ferry's own version, which rules see as runtime_version.
inline constexpr char kRuntimeVersion[] = "0.1.0";

void FillProfile(const target::Attributes& attributes, proto::Profile* profile);
void FillEnroll(const Identity& identity, const target::Attributes& attributes,
                proto::Enroll* enroll);
void FillAuth(const Identity& identity, const target::Attributes& attributes, bool push,
              ByteView nonce, proto::Auth* auth);
// identity.next, which there is.
void FillNewKeys(const Identity& identity, proto::NewKeys* keys);
void FillStart(const StartIds& start_ids, proto::Auth* auth);
// All that is installed and whole.
void FillHave(const Slots& slots, proto::Poll* poll);
void FillReport(const Report& report, proto::Report* message);

// The body that answers this request; BODY_NOT_SET for a message that is not answered.
proto::Envelope::BodyCase AnswerOf(const proto::Envelope& request);
// A code that this version does not know becomes kInternal.
Status ErrorOf(const proto::Error& error);

}  // namespace ferry::agent
