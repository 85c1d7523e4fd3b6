#include "device-runtime/agent/pull/fetch.h"

#include <algorithm>

#include "common/base/log.h"
#include "common/package/artefact.h"
#include "common/package/wrap.h"
#include "common/proto/wire.pb.h"
#include "device-runtime/agent/state/directories.h"

namespace ferry::agent {
namespace {

std::string DownloadDirectory(const Parts& parts) {
  return sys::JoinPath(parts.directory, "downloads");
}

}  // namespace

bool IsTransient(const Status& status) {
  switch (status.code()) {
    case Code::kUnavailable:
    case Code::kDeadlineExceeded:
    case Code::kUnauthenticated:
    case Code::kCancelled:
      return true;
    default:
      return false;
  }
}

bool IsStale(const Status& status) {
  return status.code() == Code::kVersionRollback || status.code() == Code::kExpired ||
         status.code() == Code::kClockSkew;
}

Fetch::Fetch(const Parts& parts, Want want, OnPulled on_pulled, OnDone done)
    : parts_(parts),
      want_(std::move(want)),
      on_pulled_(std::move(on_pulled)),
      done_(std::move(done)) {}

std::string Fetch::SealedPath() const {
  return sys::JoinPath(DownloadDirectory(parts_), ToHex(want_.entry.sha256) + ".part");
}

std::string Fetch::OpenedPath() const {
  return sys::JoinPath(DownloadDirectory(parts_), ToHex(want_.entry.sha256) + ".plain");
}

void Fetch::Start() {
  if (Status prepared = Prepare(); !prepared.ok()) return Finish(prepared);
  download_ = std::make_unique<Download>(
      Download::Options{parts_.executor, parts_.fs, parts_.dialer, parts_.random, parts_.backoff,
                        [link = parts_.link] {
                          return Download::Origin{link->endpoint(), link->content_token()};
                        },
                        SealedPath(), want_.entry, parts_.link->mirrors()},
      alive_.Guard([this](const Status& status) {
        parts_.journal->CountBytes(download_->bytes_pulled(), want_.entry.kind);
        for (const std::string& mirror : download_->wrong_mirrors())
          parts_.link->NoteWrongMirror(mirror);
        if (!status.ok()) return Finish(status.Context("fetching {}", want_.path));
        on_pulled_(download_->bytes_pulled());
        AskKey();
      }));
  download_->Start();
}

std::string Fetch::AboutMirrors() const {
  std::string text;
  for (const std::string& mirror : download_->wrong_mirrors())
    text += (text.empty() ? "mirror " : ", mirror ") + mirror;
  return text.empty() ? text : text + " gave wrong bytes";
}

Status Fetch::Prepare() const {
  const std::string directory = DownloadDirectory(parts_);
  FERRY_TRY(MakeDurableDirectories(*parts_.fs, directory));
  FERRY_TRY(MakeDurableDirectories(*parts_.fs, sys::ParentPath(want_.to)));
  const auto info = parts_.fs->Stat(SealedPath());
  const uint64_t have = info.ok() ? std::min(info->size, want_.entry.length) : 0;
  const uint64_t needed = want_.entry.length - have + want_.entry.plain_length + kSpareBytes;
  FERRY_ASSIGN_OR_RETURN(const uint64_t free, parts_.fs->FreeBytes(directory));
  if (free >= needed) return OkStatus();
  return Status::Of(Code::kDiskFull, "{} needs {} bytes of room in {}, {} are free", want_.path,
                    needed, parts_.directory, free);
}

void Fetch::AskKey() {
  proto::Envelope request;
  request.mutable_key_request()->set_target_path(want_.path);
  request.mutable_key_request()->set_release_id(want_.release);
  parts_.link->Ask(request, alive_.Guard([this](Result<const proto::Envelope*> answer) {
    if (!answer.ok())
      return Finish(answer.status().Context("asking for the key of {}", want_.path));
    if (const Status opening = Open(**answer); !opening.ok()) Finish(opening);
  }));
}

// Hashing, decrypting and above all a delta take a while for each MB: the line must be answered
// meanwhile. What is dropped is written to its end all the same, where nobody else writes.
Status Fetch::Open(const proto::Envelope& answer) {
  const proto::WrappedKey& message = answer.wrapped_key();
  if (message.target_path() != want_.path) {
    return Status::Of(Code::kMalformed, "the server sent the key of {} instead of {}",
                      message.target_path(), want_.path);
  }
  const package::WrappedKey wrapped{ToBytes(message.enc()), ToBytes(message.sealed())};
  const package::WrapContext context{parts_.identity->join.tenant, want_.release,
                                     parts_.identity->device_id};
  auto key = package::UnwrapOnDevice(parts_.identity->seal_key, context, want_.entry, wrapped);
  if (!key.ok()) return key.status().Context("opening {}", want_.path);
  std::shared_ptr<const sys::MappedFile> base;
  if (!want_.base.empty()) {
    FERRY_ASSIGN_OR_RETURN(base, parts_.fs->Map(want_.base));
  }
  sys::FileSystem& fs = want_.sealed ? parts_.at_rest->sealing() : *parts_.fs;
  parts_.tasks->Aside(
      [&fs, from = SealedPath(), to = OpenedPath(), key = *std::move(key), entry = want_.entry,
       base] {
        return package::OpenArtefact(fs, from, to, key, entry, base ? base->bytes() : ByteView());
      },
      alive_.Guard([this](const Status& status) { OnOpened(status); }));
  return OkStatus();
}

void Fetch::OnOpened(const Status& status) {
  if (!status.ok()) return Finish(status.Context("opening {}", want_.path));
  Status moved = parts_.fs->Rename(OpenedPath(), want_.to);
  if (moved.ok()) moved = parts_.fs->Remove(SealedPath());
  Finish(moved);
}

void Fetch::Finish(const Status& status) {
  // What failed for good makes room; what the line cut short is gone on with later.
  if (!status.ok() && !IsTransient(status) && sys::Exists(*parts_.fs, SealedPath())) {
    if (Status removed = parts_.fs->Remove(SealedPath()); !removed.ok()) {
      LogWarn("agent", "{}", removed.ToString());
    }
  }
  const OnDone done = std::move(done_);
  done(status);
}

void SweepDownloads(const Parts& parts, const std::vector<std::string>& keep) {
  const std::string directory = DownloadDirectory(parts);
  const auto names = parts.fs->List(directory);
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    const bool wanted = std::any_of(keep.begin(), keep.end(), [&](const std::string& sha256) {
      return name == sha256 + ".part" || name == sha256 + ".plain";
    });
    if (wanted) continue;
    if (Status removed = parts.fs->Remove(sys::JoinPath(directory, name)); !removed.ok()) {
      LogWarn("agent", "{}", removed.ToString());
    }
  }
}

}  // namespace ferry::agent
