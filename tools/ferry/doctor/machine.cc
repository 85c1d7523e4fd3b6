// ferry doctor: what this machine has.
#include <openssl/crypto.h>
#include <openssl/opensslv.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "common/sys/filesystem.h"
#include "device-runtime/kernels/isa.h"
#include "tools/ferry/doctor/checks.h"
#include "tools/ferry/progress.h"

namespace ferry::cli {
namespace {

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool CanRun(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

// Beside this program, else in PATH; empty when it is nowhere.
std::string FindProgram(const std::string& name) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) {
    const std::string beside = (self.parent_path() / name).string();
    if (CanRun(beside)) return beside;
  }
  std::string path = Variable("PATH");
  for (size_t begin = 0; begin < path.size();) {
    const size_t end = std::min(path.find(':', begin), path.size());
    const std::string found = path.substr(begin, end - begin) + "/" + name;
    if (end > begin && CanRun(found)) return found;
    begin = end + 1;
  }
  return "";
}

// The server and the device program need not be here: a desk talks to them.
DoctorCheck ProgramsCheck() {
  std::string found = FindProgram("ferry");
  if (found.empty())
    return BadCheck("programs", "ferry is neither in PATH nor where it was started",
                    "install ferry-tools, or put the folder of ferry into PATH");
  for (const char* name : {"ferry-server", "ferry-device", "git"}) {
    const std::string path = FindProgram(name);
    found += path.empty() ? fmt::format("; no {}", name) : "; " + path;
  }
  return GoodCheck("programs", found);
}

DoctorCheck IsaCheck() {
  std::string names;
  for (const kernels::Isa isa : kernels::RunningIsas())
    names += (names.empty() ? "" : ", ") + std::string(kernels::IsaName(isa));
  const auto chosen = kernels::ChooseIsa();
  if (!chosen.ok())
    return BadCheck("instruction set", chosen.status().message(),
                    "unset FERRY_ISA, or give it one of: " + names);
  return GoodCheck("instruction set",
                   fmt::format("{} (runs: {})", kernels::IsaName(*chosen), names));
}

// Programs start with what they find: an older library than they were built for shows only here.
DoctorCheck LibrariesCheck() {
  const unsigned long wanted = OPENSSL_VERSION_NUMBER >> 20, there = OpenSSL_version_num() >> 20;
  std::string text = OpenSSL_version(OPENSSL_VERSION);
  if (there >= wanted) return GoodCheck("libraries", text);
  return BadCheck("libraries", fmt::format("{}, built for {}", text, OPENSSL_VERSION_TEXT),
                  "update libssl3");
}

// The folder itself, or the nearest one above it that exists.
std::string NearestFolder(std::string path) {
  while (!path.empty() && !sys::Exists(sys::SystemFileSystem(), path)) path = sys::ParentPath(path);
  return path.empty() ? "." : path;
}

DoctorCheck StateCheck() {
  const std::string login = LoginPath(), folder = sys::ParentPath(login);
  const std::string nearest = NearestFolder(folder);
  if (::access(nearest.c_str(), W_OK | X_OK) != 0)
    return BadCheck("state folder", fmt::format("{} cannot be written", nearest),
                    "make it this user's, or point FERRY_CONFIG to a file elsewhere");
  struct stat info {};
  const bool kept = ::stat(login.c_str(), &info) == 0;
  if (kept && ((info.st_mode & 077) != 0 || info.st_uid != ::geteuid()))
    return BadCheck("state folder",
                    fmt::format("{} with a token is of mode {:o}, user {}", login,
                                info.st_mode & 07777, info.st_uid),
                    fmt::format("chmod 600 {}, and ferry logout if others have read it", login));
  return GoodCheck("state folder",
                   fmt::format("{}{}", folder, kept ? ", with a login" : ", no login yet"));
}

DoctorCheck DiskCheck() {
  const std::string folder = NearestFolder(sys::ParentPath(LoginPath()));
  std::string text;
  for (const std::string& path : {folder, std::string(".")}) {
    struct statvfs info {};
    if (::statvfs(path.c_str(), &info) != 0) continue;
    const uint64_t free = uint64_t{info.f_bavail} * info.f_frsize;
    text += fmt::format("{}{} free in {}", text.empty() ? "" : "; ", SizeText(free), path);
    if (free < kLeastDiskBytes)
      return BadCheck("disk", text,
                      fmt::format("make room: packing and sealing take at least {}",
                                  SizeText(kLeastDiskBytes)));
  }
  return GoodCheck("disk", text);
}

}  // namespace

DoctorCheck GoodCheck(std::string name, std::string text) {
  return {std::move(name), true, std::move(text), ""};
}

DoctorCheck BadCheck(std::string name, std::string text, std::string remedy) {
  return {std::move(name), false, std::move(text), std::move(remedy)};
}

void CheckMachine(DoctorChecks& checks) {
  checks.push_back(ProgramsCheck());
  checks.push_back(IsaCheck());
  checks.push_back(LibrariesCheck());
  checks.push_back(StateCheck());
  checks.push_back(DiskCheck());
}

}  // namespace ferry::cli
