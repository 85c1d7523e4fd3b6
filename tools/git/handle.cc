#include "tools/git/handle.h"

#include <iterator>

namespace ferry::git {
namespace {

Code CodeOf(int returned, int kind) {
  switch (returned) {
    case GIT_ENOTFOUND:
      return Code::kNotFound;
    case GIT_EOWNER:
      return Code::kPermissionDenied;
    case GIT_EINVALIDSPEC:
    case GIT_EAMBIGUOUS:
      return Code::kInvalidArgument;
    case GIT_EMISMATCH:
      return Code::kCorruptContent;
    default:
      break;
  }
  switch (kind) {
    case GIT_ERROR_NOMEMORY:
      return Code::kOutOfMemory;
    case GIT_ERROR_REPOSITORY:  // a format or an extension that libgit2 does not know
      return Code::kUnsupported;
    case GIT_ERROR_ODB:
    case GIT_ERROR_OBJECT:
    case GIT_ERROR_TREE:
    case GIT_ERROR_ZLIB:
    case GIT_ERROR_INDEXER:
      return Code::kCorruptContent;
    default:
      return Code::kIo;
  }
}

}  // namespace

Library::Library() : started_(git_libgit2_init() > 0) {
  // Extensions that say nothing about how objects and references are read.
  const char* harmless[] = {"partialclone", "preciousobjects", "worktreeconfig"};
  if (started_) git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, harmless, std::size(harmless));
}

Status StatusOf(int returned) {
  if (returned >= 0) return OkStatus();
  const git_error* error = git_error_last();
  const int kind = error == nullptr ? GIT_ERROR_NONE : error->klass;
  std::string text = error == nullptr || error->message == nullptr
                         ? fmt::format("libgit2 returned {}", returned)
                         : std::string(error->message);
  return Status(CodeOf(returned, kind), std::move(text));
}

Result<git_oid> IdOf(const std::string& hex) {
  git_oid id;
  FERRY_TRY(
      StatusOf(git_oid_fromstr(&id, hex.c_str())).Context("\"{:.100}\" names no commit", hex));
  return id;
}

std::string HexOf(const git_oid& id) {
  std::string hex(GIT_OID_HEXSZ, '0');
  git_oid_fmt(hex.data(), &id);
  return hex;
}

}  // namespace ferry::git
