// Users and sessions of who signs in at an issuer (cloud-server/oidc). Any thread.
// ---- oidc_login.cc
#pragma once

#include <string>

#include "cloud-server/admin/access.h"
#include "cloud-server/oidc/sign_in.h"

namespace ferry::server {

// The issuer is asked again after half a day; it usually knows who sits there.
inline constexpr int64_t kOidcSessionMs = 12 * int64_t{3'600'000};

// kInvalidArgument for a role or a scope of the mapping that is none.
Status CheckOidcRoles(const oidc::SignInOptions& options);

// Whom `person` is here: the user of its subject, or a new one of its name. Role and scope are
// those of the mapping, at each sign-in. `row`: what is known of the browser; `instead_of`: the
// hash of the token of the session that ends with it. Errors of what is refused set `refusal`.
Result<Login> LogInByOidc(const AdminOptions& options, const oidc::Person& person, SessionRow row,
                          const std::string& instead_of, oidc::Refusal* refusal);
// The user of a subject; empty: there is none yet.
Result<std::string> NameOfSubject(const AdminOptions& options, const std::string& subject);
// Who has no role any more is signed out.
Status EndOidcSessions(const AdminOptions& options, const std::string& subject);

}  // namespace ferry::server
