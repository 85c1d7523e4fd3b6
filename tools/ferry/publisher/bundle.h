// Publish bundles: a publication in one file, for a console or another machine to upload.
//
//   "FERRYBND" | u32 version 1 | u32 length of the header (little-endian) | header | sealed files
//
// Header (JSON): {"publish": body of POST /api/v1/packages, "content": [{"sha256","length"}]}, the
// files follow in that order.
#pragma once

#include <string>

#include "tools/ferry/publisher/publish.h"

namespace ferry::cli {

inline constexpr std::string_view kBundleMagic = "FERRYBND";
inline constexpr uint32_t kBundleFormat = 1;
inline constexpr size_t kMaxBundleHeaderBytes = 16 << 20;
inline constexpr size_t kMaxBundleFiles = 10000;

Status WriteBundle(const std::string& path, const Publication& publication);

// Uploads what a bundle holds. kMalformed, kTruncatedContent name the place; the server checks the
// rest. `targets`, when given, goes up in place of the bundle's: the same with more signatures,
// else kFailedPrecondition.
Result<Json> UploadBundle(const Api& api, const std::string& path, const Bytes* targets = nullptr);
// The header alone, checked against the file's length.
Result<Json> ReadBundleHeader(const std::string& path);

}  // namespace ferry::cli
