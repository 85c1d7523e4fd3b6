// Fresh online keys. Root is offline: its next version brings them into use.
#include <cstdio>

#include "cloud-server/main/commands.h"
#include "cloud-server/main/line/authorities.h"
#include "cloud-server/main/online_keys/key_files.h"
#include "common/base/json.h"

namespace ferry::server {
namespace {

Json IdsOf(const trust::OnlineKeys& keys) {
  Json ids = {{"director", trust::KeyIdOf(keys.director)},
              {"escrow", package::SealKeyId(keys.escrow)},
              {"snapshot", trust::KeyIdOf(keys.snapshot)},
              {"timestamp", trust::KeyIdOf(keys.timestamp)}};
  if (keys.personal) ids["personal"] = trust::KeyIdOf(*keys.personal);
  return ids;
}

std::string KeysText(const Json& ids, const std::vector<std::string>& waiting,
                     const std::string& online_keys) {
  std::string text = "These keys wait for the publisher's next root; the present ones serve on:\n";
  for (const std::string& role : waiting)
    text += fmt::format("  {:<10} {}\n", role, ids.value(role, ""));
  return text + fmt::format(
                    "next, where the root key is:\n"
                    "  ferry keys rotate --dir PUBLISHER --role online --online-keys {}\n"
                    "  ferry keys upload --dir PUBLISHER\n"
                    "(a personal key waits for targets: ferry keys personal --dir PUBLISHER)\n",
                    online_keys);
}

constexpr std::string_view kAuthorityRole = "authority";

// The pin of an authority that the next root shall name first: one that waits already, or a new one
// where none does or `again`.
Result<Json> NextAuthority(const ServerHome& home, bool again) {
  Authorities authorities(sys::SystemFileSystem(), home.directory);
  FERRY_ASSIGN_OR_RETURN(const std::vector<AuthorityChain> chains, authorities.Chains());
  if (chains.size() > 1 && !again) return Json(chains.back().pin);
  FERRY_ASSIGN_OR_RETURN(const std::string pin,
                         authorities.Add("Ferry " + home.config.tenant, home.config.names));
  return Json(pin);
}

}  // namespace

Status RunKeysRotate(const KeysCommand& command) {
  FERRY_ASSIGN_OR_RETURN(const ServerHome home,
                         OpenHome(sys::SystemFileSystem(), command.directory));
  std::string target;
  for (const std::string& role : command.roles) target += (target.empty() ? "" : ",") + role;
  return WithAudit(
      home, "ferry-server keys rotate", target, [&](const AdminOptions& admin) -> Status {
        // A crash may have left keys waiting that are in use; keys of a root that is not here (a
        // server that was set back) are what this command replaces.
        const Status stored = admin.registry->UseStoredRoot();
        if (!stored.ok() && stored.code() != Code::kWrongKey) return stored;
        KeyFiles files(sys::SystemFileSystem(), command.directory);
        std::vector<std::string> roles = command.roles;
        // Asked for by name alone: operators have to know it by its pin afterwards.
        Json authority;
        if (std::erase(roles, kAuthorityRole) > 0) {
          FERRY_ASSIGN_OR_RETURN(authority, NextAuthority(home, command.again));
        }
        const bool authority_alone = !authority.is_null() && roles.empty();
        if (roles.empty() && !authority_alone) {
          roles.assign(OnlineRoles().begin(), OnlineRoles().end());
          // Nothing would ever bring it into use where targets delegate nothing.
          if (admin.registry->PersonalDelegation().code() == Code::kFailedPrecondition)
            std::erase(roles, trust::kPersonalRole);
        }
        FERRY_ASSIGN_OR_RETURN(std::vector<std::string> made,
                               files.MakeWaiting(roles, command.again, sys::SystemRandom()));
        if (!authority.is_null()) made.emplace_back(kAuthorityRole);
        FERRY_ASSIGN_OR_RETURN(const Registry::NextKeys next, admin.registry->KeysOfNextRoot());
        FERRY_TRY(files.Export(next.keys));
        const std::string online_keys = home.Path("online-keys.json");
        Json ids = IdsOf(next.keys);
        if (next.keys.line && !next.keys.line->authorities.empty())
          ids["line"] = next.keys.line->authorities.front();
        const std::string text = command.json ? WriteJson({{"dir", command.directory},
                                                           {"made", made},
                                                           {"waiting", next.waiting},
                                                           {"keys", ids},
                                                           {"online_keys", online_keys}}) +
                                                    "\n"
                                              : KeysText(ids, next.waiting, online_keys);
        std::fwrite(text.data(), 1, text.size(), stdout);
        std::fflush(stdout);
        return OkStatus();
      });
}

}  // namespace ferry::server
