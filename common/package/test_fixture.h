// Packages, files and keys for tests of this room.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "common/package/artefact.h"
#include "common/package/manifest.h"
#include "common/package/reader.h"
#include "common/package/writer.h"
#include "common/sys/random.h"

namespace ferry::package {

// A folder that goes away with the test.
class TestFolder {
 public:
  TestFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "ferry-package-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  std::string path_;
};

// Bytes that do not compress, as trained weights hardly do.
inline Bytes TestWeights(size_t size, uint64_t seed) {
  Bytes out(size);
  sys::SeededRandom random(seed);
  random.Fill(out);
  return out;
}

// A package with a script and three layers of weights.
struct TestPackage {
  std::string script = "def on_trigger(events):\n    return events[0]['data']\n";
  Bytes layers[3] = {TestWeights(60000, 1), TestWeights(200000, 2), TestWeights(30001, 3)};
  std::string version = "1.0.0";

  Bytes Write() const {
    Manifest manifest;
    manifest.name = "digits";
    manifest.version = version;
    manifest.task = {{"script", "task.py"}, {"rate", 0.5}};
    manifest.probe = {{"cases", "cases.json"}};
    return WritePackage(manifest, {{"task.py", AsBytes(script)},
                                   {"cases.json", AsBytes("{\"cases\":[]}")},
                                   {"layers/0.bin", layers[0]},
                                   {"layers/1.bin", layers[1]},
                                   {"layers/2.bin", layers[2]},
                                   {"empty", {}}})
        .value();
  }
};

inline trust::TargetEntry EntryOf(const SealedArtefact& sealed) {
  trust::TargetEntry entry;
  entry.package = "digits";
  entry.version = "1.0.0";
  entry.release_counter = 1;
  entry.length = sealed.length;
  entry.sha256 = sealed.sha256;
  entry.plain_length = sealed.plain_length;
  entry.plain_sha256 = sealed.plain_sha256;
  return entry;
}

}  // namespace ferry::package
