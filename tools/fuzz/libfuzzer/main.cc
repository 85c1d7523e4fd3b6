// ferry-fuzz under libFuzzer: FERRY_FUZZ_TARGET names the target, FERRY_FUZZ_SEEDS a folder that
// its seeds are written into first; the rest of the command line is libFuzzer's. Built by
// `tools/dev fuzz`.
#include <cstdio>
#include <cstdlib>

#include "tools/fuzz/target.h"

namespace {

const ferry::fuzz::Target* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* name = std::getenv("FERRY_FUZZ_TARGET");
  chosen = name == nullptr ? nullptr : ferry::fuzz::FindTarget(name);
  if (chosen == nullptr) {
    std::fprintf(stderr, "ferry-fuzz: FERRY_FUZZ_TARGET names no target\n");
    std::exit(2);
  }
  const char* folder = std::getenv("FERRY_FUZZ_SEEDS");
  if (folder == nullptr) return 0;
  const ferry::Status written = ferry::fuzz::WriteSeeds(*chosen, folder);
  if (!written.ok()) {
    std::fprintf(stderr, "ferry-fuzz: %s\n", written.ToString().c_str());
    std::exit(2);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  chosen->run({data, size});
  return 0;
}
