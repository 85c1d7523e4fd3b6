// Rows of tables that a package brings: the files that its tables name as "rows".
#pragma once

#include "common/base/status.h"
#include "common/package/reader.h"
#include "pipeline/flow/definition.h"
#include "pipeline/store/outbox.h"

namespace ferry::task {

// To be called when a package comes into use. Fills every table of `definition` that names a file;
// one that is not there yet is declared. Rows that an earlier version brought go, and those that
// were written since by a task or the app stay (table::Tables::Fill). A file that filled the table
// last, by its SHA-256, is not even read. `now_ms` since 1970. Durable on return. After an error,
// which names the file and the line, tables before the one that is named are filled.
Status FillTables(const package::Package& package, const flow::Definition& definition,
                  store::Outbox& outbox, int64_t now_ms);

}  // namespace ferry::task
