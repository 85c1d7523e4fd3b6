// Documents that wait for signatures of other machines: below the publisher's folder
//
//   staged/targets.json, staged/root.json   signed by the keys at hand
//   staged/publication.bundle               what goes up with the targets: see bundle.h
//
// Each may be carried to where a key is, signed there and carried back. Until enough keys of the
// role have signed, nobody takes it: not the folder, the server or a device.
#pragma once

#include "common/base/json.h"
#include "tools/ferry/publisher/publish.h"

namespace ferry::cli {

// Keeps `document` as staged/`name`; returns its path. What was staged as targets before goes.
Result<std::string> StageDocument(const PublisherDirectory& directory, const std::string& name,
                                  ByteView document);
// The same of a publication, with its content.
Result<std::string> StagePublication(const PublisherDirectory& directory,
                                     const Publication& publication);

// Adds one signature to the root or targets document in `file`, in place. `root`: a file with the
// root by whose roles it is counted; a root document counts by its own roles without it. {"file",
// "role","version","signatures","needed"}: the last two count keys of the role, null when it is not
// known. kWrongKey for a key that the role does not name.
Result<Json> SignStaged(const std::string& file, const std::string& key, const std::string& root);

// Uploads the targets in `file`, signed by enough keys, with the bundle that was staged with them,
// and keeps them. kBadSignature when keys are missing, kFailedPrecondition when other targets were
// staged.
Result<Json> PublishStaged(const Api& api, PublisherDirectory& directory, const std::string& file);

// Takes the root or targets in `file` into the folder, signed by enough keys, one version up:
// `ferry keys upload` then sends it.
Status TakeStaged(PublisherDirectory& directory, const std::string& file);

}  // namespace ferry::cli
