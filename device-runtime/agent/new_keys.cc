// New keys of this device, which keeps its id. The new pair is on the disk before the server hears
// of it, and the one before stays there: a server that did not answer, or that was restored, may
// know either, and the line shows which.
#include "common/base/log.h"
#include "common/proto/wire.pb.h"
#include "device-runtime/agent/agent_impl.h"
#include "device-runtime/agent/line/messages.h"

namespace ferry::agent {

void Agent::Impl::MakeNewKeys() {
  if (Status made = MakeNextKeys(*given.fs, options.directory, *given.random, &identity);
      !made.ok()) {
    journal.NoteError(made.Context("new keys"), given.clock->NowUnixMs());
    return LogError("agent", "new keys: {}", made.ToString());
  }
  proto::Envelope request;
  FillNewKeys(identity, request.mutable_new_keys());
  link.Ask(request,
           alive.Guard([this, keys = *identity.next](Result<const proto::Envelope*> answer) {
             if (!answer.ok()) return LogWarn("agent", "new keys: {}", answer.status().ToString());
             UseKnownKeys(keys);
           }));
}

void Agent::Impl::TryOtherKeys() {
  std::vector<DeviceKeys> others;
  if (!own_keys) own_keys = DeviceKeys{identity.identity_key, identity.seal_key};
  others.push_back(*own_keys);
  if (identity.next) others.push_back(*identity.next);
  if (identity.before) others.push_back(*identity.before);
  tried_keys = (tried_keys + 1) % others.size();
  identity.identity_key = others[tried_keys].identity;
  identity.seal_key = others[tried_keys].seal;
}

void Agent::Impl::NoteKnownKeys() {
  if (!own_keys) return;
  const DeviceKeys known{identity.identity_key, identity.seal_key};
  identity.identity_key = own_keys->identity;
  identity.seal_key = own_keys->seal;
  own_keys.reset();
  tried_keys = 0;
  if (known.identity.public_key() != identity.identity_key.public_key()) UseKnownKeys(known);
}

void Agent::Impl::UseKnownKeys(const DeviceKeys& keys) {
  const Status used = UseKeys(*given.fs, options.directory, keys, &identity);
  if (used.ok()) return LogInfo("agent", "{} has other keys", identity.device_id);
  journal.NoteError(used.Context("new keys"), given.clock->NowUnixMs());
  LogError("agent", "new keys: {}", used.ToString());
}

}  // namespace ferry::agent
