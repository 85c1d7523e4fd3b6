#include "common/base/check.h"
#include "common/crypto/hash.h"
#include "common/package/manifest.h"
#include "common/package/reader.h"
#include "common/package/writer.h"
#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

constexpr size_t kManifestSizeAt = 12, kManifestHashAt = 16;

// Makes the manifest's hash right, or nothing would come past it.
void SealManifest(Bytes& bytes) {
  if (bytes.size() < package::kPackageHeaderBytes) return;
  const uint64_t size = GetU32(bytes.data() + kManifestSizeAt);
  if (size > bytes.size() - package::kPackageHeaderBytes) return;
  const auto hash = crypto::Sha256(ByteView(bytes).subspan(package::kPackageHeaderBytes, size));
  std::copy(hash.begin(), hash.end(), bytes.begin() + kManifestHashAt);
}

void RunPackage(ByteView bytes) {
  Bytes sealed = ToBytes(bytes);
  SealManifest(sealed);
  auto package = package::Package::Open(sealed);
  if (package.ok()) (void)package->VerifyFiles().ok();
}

std::vector<Bytes> PackageSeeds() {
  package::Manifest manifest;
  manifest.name = "fuzz";
  manifest.version = "1.0.0";
  auto bytes = package::WritePackage(
      manifest, {{"a.txt", AsBytes("some text")}, {"task.py", AsBytes("x = 1\n")}});
  CHECK(bytes.ok()) << bytes.status().ToString();
  return {*std::move(bytes)};
}

}  // namespace

const Target kPackageTarget = {"package", RunPackage, PackageSeeds};

}  // namespace ferry::fuzz
