// What a business server asks for the devices of the apps that call it: whether they are to pull.
#include "cloud-server/have/door.h"

#include "cloud-server/admin/routes.h"

namespace ferry::server {
namespace {

Result<Json> AskHave(const Call& call) {
  if (call.have == nullptr)
    return Status(Code::kUnsupported, "this server has no devices' door that makes such texts");
  FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> texts, GetStrings(call.body, "texts"));
  FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> answers, call.have->Answer(texts));
  return Json{{"texts", answers}};
}

}  // namespace

void Add_have(Routes& routes) {
  routes.Add("POST", "/api/v1/have", AskHave);
}

}  // namespace ferry::server
