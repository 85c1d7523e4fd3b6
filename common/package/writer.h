// Makes a package file. README.md shows the format.
#pragma once

#include "common/sys/filesystem.h"

namespace ferry::package {

struct Manifest;

struct SourceFile {
  std::string path;
  ByteView bytes;  // borrowed until the package is written
};

// Sorts the files, fills in manifest.files and writes the package. The same input gives the same
// bytes. kInvalidArgument for a bad name, a file twice, or past a limit.
Result<Bytes> WritePackage(Manifest manifest, std::vector<SourceFile> files);
Status WritePackageFile(sys::FileSystem& fs, const std::string& path, Manifest manifest,
                        std::vector<SourceFile> files);

}  // namespace ferry::package
