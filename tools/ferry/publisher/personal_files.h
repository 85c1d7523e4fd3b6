// Files for single devices, sealed here so that a server and its content store never see them, and
// given to the server that tells each device of its own.
#pragma once

#include <string>
#include <vector>

#include "common/base/json.h"
#include "tools/ferry/remote/api.h"

namespace ferry::cli {

inline constexpr size_t kMaxMapLines = 100'000;
inline constexpr uint64_t kMaxMapBytes = uint64_t{64} << 20;

// What one device shall get, under which name.
struct PersonalInput {
  std::string device;
  std::string file;
  std::string name;
};

// A line each: `device,file[,name]`, or a JSON object with these members. Files are relative to the
// map's folder; a name that is not given is the file's. Empty lines and those that begin with # are
// left out. kInvalidArgument names the line.
Result<std::vector<PersonalInput>> ReadPersonalMap(const std::string& path);
// The name of a file that is given none: its last part.
std::string NameOfPersonal(const std::string& file);

// Seals each file for itself, uploads it and gives it to its device. {"put","devices"}.
// kFailedPrecondition when targets delegate no such files; errors name the file.
Result<Json> PutPersonal(const Api& api, const std::string& package,
                         const std::vector<PersonalInput>& inputs);

}  // namespace ferry::cli
