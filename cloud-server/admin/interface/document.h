// The OpenAPI document of the operators' door: what the routes are comes from the table of routes
// and of rights, what they take and give from openapi/*.json:
//
//   {"routes":{"GET /api/v1/devices":{"summary":..,"query"?:{name:schema},"body"?:schema,
//              "body_optional"?:bool,"body_media"?:text,"answer":schema,"media"?:text}},
//    "schemas"?:{name:schema}}
//
// Schemas are in the short form of schema.h.
// ---- document.cc
#pragma once

#include <string>
#include <vector>

#include "cloud-server/admin/routes.h"

namespace ferry::server {

struct Document {
  Json json = Json::object();
  std::vector<std::string> routes_without_entry;  // "GET /api/v1/devices"; left out of `json`
  std::vector<std::string> entries_without_route;
};

// Errors name the file that is wrong.
Result<Document> MakeDocument(const Routes& routes);

}  // namespace ferry::server
