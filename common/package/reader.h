// Reads a package in place, from memory or from a mapped file. README.md shows the format.
#pragma once

#include <memory>

#include "common/sys/filesystem.h"

namespace ferry::package {

struct Manifest;

inline constexpr std::string_view kPackageMagic = "FERRYPKG";
inline constexpr uint32_t kPackageFormat = 1;
// Magic (8), format (4), length of the manifest (4), SHA-256 of the manifest (32).
inline constexpr size_t kPackageHeaderBytes = 48;
inline constexpr size_t kFileAlignment = 64;
// The first multiple of kFileAlignment that is not below `offset`.
constexpr uint64_t AlignUp(uint64_t offset) {
  return (offset + kFileAlignment - 1) / kFileAlignment * kFileAlignment;
}

// An open package. Any thread. Views point into the memory it was opened on.
class Package {
 public:
  // Checks the form: header, manifest, every range, zero padding, nothing after the end. File
  // hashes are not read: VerifyFiles and VerifiedFile do that. `bytes` must outlive the package.
  // kBadPackage, kTruncatedContent or kUnsupported (a newer format).
  static Result<Package> Open(ByteView bytes);
  // Maps the file and keeps it mapped. Errors name the path.
  static Result<Package> OpenFile(sys::FileSystem& fs, const std::string& path);
  // Opens what may be damaged, for people to look at: what is wrong goes to `damage`, and only a
  // package of which nothing can be told is an error. VerifiedFile tells which files are whole.
  static Result<Package> OpenDamaged(ByteView bytes, std::vector<Status>& damage);

  const Manifest& manifest() const { return *manifest_; }
  // The whole package, for hashing and deltas.
  ByteView bytes() const { return bytes_; }
  bool Has(std::string_view path) const;
  // kNotFound names package and file. 64-byte aligned relative to the package's start.
  Result<ByteView> File(std::string_view path) const;
  // As File, with its SHA-256 checked now; kCorruptContent names the file.
  Result<ByteView> VerifiedFile(std::string_view path) const;
  Status VerifyFiles() const;

 private:
  Package() = default;
  static Result<Package> OpenNoting(ByteView bytes, std::vector<Status>* damage);
  std::shared_ptr<const Manifest> manifest_;
  std::shared_ptr<const sys::MappedFile> mapping_;  // null over borrowed bytes
  ByteView bytes_;
  size_t content_start_ = 0;
};

}  // namespace ferry::package
