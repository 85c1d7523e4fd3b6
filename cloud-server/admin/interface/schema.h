// The short form in which openapi/*.json writes what a value looks like, as JSON Schema. Pure.
//
//   "string" "integer" "number" "boolean"     of that type
//   "any" "object"                            anything; any object
//   "base64" "binary"                         text that is base64; bytes that are no JSON
//   "Device"                                  the schema of that name
//   "[Device]" "{string}"                     an array of these; an object of any members of these
//   "Device|null" "'beta'|'full'"             or null; one of these texts
//   "integer # Unix milliseconds"             with a description
//   [value]                                   an array of these
//   {"id":"string","why?":"string"}           an object: a member with "?" may be missing
//   {"*":value}                               an object with any members of these
//   {"...":"Device","reports":"[Report]"}     all that a Device has and more; also a list of names
//   {"#":"text", ..}                          with a description
// ---- schema.cc
#pragma once

#include "common/base/json_fwd.h"
#include "common/base/status.h"

namespace ferry::server {

inline constexpr const char* kSchemaRef = "#/components/schemas/";

// kMalformed names what is no such form.
Result<Json> SchemaFromShort(const Json& form);

}  // namespace ferry::server
