// Users of each kind before a running door, for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cloud-server/admin/access.h"
#include "cloud-server/admin/rights/users.h"
#include "cloud-server/admin/test_admin.h"

namespace ferry::server {

inline constexpr const char* kTestPassword = "correct horse battery";

struct RightsFixture : AdminFixture {
  void Add(const std::string& name, const std::string& role,
           std::vector<std::string> packages = {"*"}, std::vector<std::string> groups = {}) {
    AccountRow row;
    row.name = name;
    row.role = role;
    row.packages = std::move(packages);
    row.groups = std::move(groups);
    EXPECT_TRUE(CreateUser(options, row, kTestPassword).ok());
  }
  std::string TokenOf(const std::string& user) {
    LoginTries tries;
    const Result<Login> login = LogIn(options, tries, "192.0.2.1", kTestPassword, user);
    EXPECT_TRUE(login.ok()) << login.status().ToString();
    return login.ok() ? login->token : "";
  }
  // The status and the body.
  std::pair<int, Json> Call(const std::string& bearer, const std::string& method,
                            const std::string& path, const Json& body = Json::object()) {
    httplib::Client client = Client();
    const httplib::Result answer = Send(client, method, "/api/v1" + path,
                                        {{"Authorization", "Bearer " + bearer}}, WriteJson(body));
    EXPECT_TRUE(answer) << path;
    if (!answer) return {0, Json()};
    const Result<Json> json = ParseJson(answer->body);
    return {answer->status, json.ok() ? *json : Json()};
  }
};

inline std::string TextOf(const Json& answer) {
  return WriteJson(answer);
}

}  // namespace ferry::server
