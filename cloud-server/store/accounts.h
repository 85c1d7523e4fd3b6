// Who may operate the server: users, their API tokens, and requests that wait for a second person.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/status.h"

namespace ferry::server {

// The user that `ferry-server init` and `ferry-server password` give a password.
inline constexpr const char* kAdminAccount = "admin";

struct AccountRow {
  std::string name;
  std::string role;                        // viewer, developer, releaser, approver, admin
  std::vector<std::string> packages{"*"};  // globs of the packages that it may change
  std::vector<std::string> groups;         // whose devices it may reach; empty: all
  std::string password;                    // hashed (HashPassword); empty: none logs in
  bool disabled = false;
  int64_t created_ms = 0;
  int64_t row_version = 0;
  std::string totp;  // its second factor (admin/login/totp.h); empty: none
  std::string oidc;  // the issuer that vouches for it, and who it is there; empty: nobody does
  bool operator==(const AccountRow&) const = default;
};

// A token that a program calls with. It may what both its own role and scope and its user's allow.
struct ApiTokenRow {
  std::string id;            // names it; no use to log in
  std::string token_sha256;  // hex
  std::string account;
  std::string name;
  std::string role;
  std::vector<std::string> packages{"*"};
  std::vector<std::string> groups;
  int64_t created_ms = 0;
  int64_t expires_ms = 0;
  int64_t last_used_ms = 0;  // 0: never
  bool operator==(const ApiTokenRow&) const = default;
};

// A call that one user made and another has to agree to before it is carried out.
struct ApprovalRow {
  std::string id;
  std::string account;  // who asked
  std::string method;
  std::string path;
  std::string body;  // JSON
  std::string body_sha256;
  std::string package;
  int64_t asked_ms = 0;
  int64_t expires_ms = 0;
  std::string state = "open";  // open, done, failed, rejected
  std::string decided_by;
  int64_t decided_ms = 0;
  std::string reason;
  bool operator==(const ApprovalRow&) const = default;
};

// As the repositories of store.h: kNotFound names the thing, kConflict for another row_version.
class AccountRepository {
 public:
  virtual ~AccountRepository() = default;
  virtual Result<AccountRow> Get(const std::string& name) = 0;
  virtual Result<std::vector<AccountRow>> All() = 0;  // by name
  virtual Status Put(const AccountRow& row) = 0;
  // With its sessions and tokens.
  virtual Status Remove(const std::string& name) = 0;
  // Ends its sessions and API tokens.
  virtual Status EndSessions(const std::string& name) = 0;

  virtual Result<ApiTokenRow> Token(const std::string& token_sha256) = 0;
  virtual Result<std::vector<ApiTokenRow>> Tokens(const std::string& account) = 0;  // oldest first
  virtual Status PutToken(const ApiTokenRow& row) = 0;
  virtual Status TouchToken(const std::string& token_sha256, int64_t last_used_ms) = 0;
  // kNotFound when the user has none with this id.
  virtual Status RemoveToken(const std::string& account, const std::string& id) = 0;

  // The groups that a release was limited to when it was made; nullopt: it was not.
  virtual Result<std::optional<std::vector<std::string>>> ReleaseGroups(
      const std::string& release) = 0;
  virtual Status PutReleaseGroups(const std::string& release,
                                  const std::vector<std::string>& groups) = 0;

  virtual Result<ApprovalRow> Approval(const std::string& id) = 0;
  virtual Result<std::vector<ApprovalRow>> Approvals(size_t limit) = 0;  // the newest first
  virtual Status PutApproval(const ApprovalRow& row) = 0;
};

}  // namespace ferry::server
