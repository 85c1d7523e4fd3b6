// Whether what is published is whole: for `ferry-server check`, beside a running server.
#pragma once

#include <string>
#include <vector>

#include "cloud-server/registry/registry.h"

namespace ferry::server {

// A sentence for each thing that is wrong: roots that do not follow each other or do not name this
// server's keys, a chain that devices would refuse, what has expired (snapshot and timestamp apart,
// which a start signs anew), content keys that do not open, signed paths that have no content.
// `metadata`: every root from 1 on, and the newest of the other roles.
std::vector<std::string> CheckPublished(const std::vector<MetadataRow>& metadata,
                                        const std::vector<ArtefactRow>& artefacts,
                                        const OnlineSecrets& secrets, int64_t now_ms);
// Whether the content key of `artefact` opens with the server's. keys.cc
Status CheckContentKey(const OnlineSecrets& secrets, const ArtefactRow& artefact);

}  // namespace ferry::server
