// What can be said of a store beside a server that may write it.
#pragma once

#include <string>
#include <vector>

#include "cloud-server/core/rows.h"

namespace ferry::server {

struct StoreFacts {
  int64_t schema = 0;
  std::vector<std::string>
      problems;  // a sentence each: damage, rows that point nowhere, its schema
  // Empty where the schema is not this program's.
  std::vector<ArtefactRow> artefacts;
  std::vector<MetadataRow> metadata;  // every root, from 1 on; the newest of the other roles
};

}  // namespace ferry::server
