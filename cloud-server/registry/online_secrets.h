// The private keys of a running server, and those that wait to take their place.
#pragma once

#include <optional>
#include <vector>

#include "common/crypto/x25519.h"
#include "common/trust/documents/personal/delegation.h"
#include "common/trust/root.h"

namespace ferry::server {

struct OnlineSecrets {
  trust::SigningKey snapshot;
  trust::SigningKey timestamp;
  trust::SigningKey director;
  crypto::AgreementKey escrow;
  // For opening alone: what was wrapped before the escrow key was replaced.
  std::vector<crypto::AgreementKey> old_escrow{};
  // Signs what single devices have; in use when targets delegate to it.
  std::optional<trust::SigningKey> personal{};
};
// The public halves, for `ferry keys init`.
trust::OnlineKeys PublicKeysOf(const OnlineSecrets& secrets);

// Fresh keys of some roles: none of them signs anything before a root names it.
struct WaitingKeys {
  std::optional<trust::SigningKey> snapshot;
  std::optional<trust::SigningKey> timestamp;
  std::optional<trust::SigningKey> director;
  std::optional<crypto::AgreementKey> escrow;
  std::optional<trust::SigningKey> personal;  // waits for targets that name it, not for a root
  std::optional<trust::Line> line{};          // that the next root shall say
  std::vector<std::string> authorities{};     // pins of those that this server has; empty: unknown
};
// The public halves that the next root shall name: the waiting one of a role, else the present.
trust::OnlineKeys NextKeysOf(const OnlineSecrets& present, const WaitingKeys& waiting);

// The keys that `root` names among the present and the waiting ones; a waiting key goes before the
// present one where it names both. kWrongKey names the role that has neither; also for a root whose
// line names authorities of which this server has none: its devices would never come again.
Result<OnlineSecrets> ChooseSecrets(const trust::Root& root, const OnlineSecrets& present,
                                    const WaitingKeys& waiting);

// The same for the key that `delegation` names; an error names what the publisher has to do.
Result<OnlineSecrets> ChoosePersonal(const trust::PersonalDelegation& delegation,
                                     const OnlineSecrets& present, const WaitingKeys& waiting);

// Where keys lie. Any thread.
class KeySource {
 public:
  virtual ~KeySource() = default;
  virtual Result<WaitingKeys> Waiting() = 0;
  // A stored root names these: waiting keys among them take the place of those before, of which
  // only escrow keys are kept. May be called again after a crash.
  virtual Status Settle(const OnlineSecrets& present) = 0;
};

}  // namespace ferry::server
