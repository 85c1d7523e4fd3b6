#include "common/sys/posix/error.h"

#include <cerrno>
#include <system_error>

namespace ferry::sys {
namespace {

Code CodeOf(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return Code::kNotFound;
    case EEXIST:
    case ENOTEMPTY:
      return Code::kAlreadyExists;
    case EACCES:
    case EPERM:
    case EROFS:
      return Code::kPermissionDenied;
    case ENOSPC:
    case EDQUOT:
      return Code::kDiskFull;
    case ENOMEM:
      return Code::kOutOfMemory;
    default:
      return Code::kIo;
  }
}

}  // namespace

Status StatusOfErrno(int error, const char* what, const std::string& path) {
  return Status::Of(CodeOf(error), "{} {}: {}", what, path, std::generic_category().message(error));
}

Status StatusOfPath(int error, const char* what, const std::string& path) {
  if (error == ENOENT) return Status::Of(Code::kNotFound, "{} does not exist", path);
  return StatusOfErrno(error, what, path);
}

}  // namespace ferry::sys
