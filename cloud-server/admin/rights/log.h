// What the audit log says of a call.
// ---- log.cc
#pragma once

#include "cloud-server/admin/routes.h"

namespace ferry::server {

// Who calls what, from where; the body is not read yet.
AuditEntry EntryOf(const Call& call, const Route& route);
// The reason that the user gave, the user who tries to log in.
void FillEntry(const Call& call, AuditEntry* entry);
// A row by itself for a call that was not let through.
Status WriteRefused(const AdminOptions& options, AuditEntry entry, const Status& why);
// The error that an answer of a raw route says; OK for one that is none.
Status StatusOf(const HttpResponse& response);

}  // namespace ferry::server
