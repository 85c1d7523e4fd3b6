// Roots on their way to a server.
#pragma once

#include "tools/ferry/publisher/directory.h"
#include "tools/ferry/remote/api.h"

namespace ferry::cli {

struct Uploaded {
  int64_t roots = 0;
  bool targets = false;
};

// kFailedPrecondition, naming both roots by SHA-256, when the server has another publisher's root:
// documents are compared, for two publishers count versions alike. A server without a root is
// anybody's.
Status CheckSamePublisher(const Api& api, const PublisherDirectory& directory);

// Gives the server the roots that it lacks, all in one call, for only the last must name keys that
// it has; then targets when they are newer here. kFailedPrecondition when it has another
// publisher's root, or other targets of the same version.
Result<Uploaded> UploadRoots(const Api& api, PublisherDirectory& directory);

}  // namespace ferry::cli
