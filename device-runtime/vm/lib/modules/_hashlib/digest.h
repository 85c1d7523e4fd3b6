// Hash functions: MD5 (RFC 1321), SHA-1 and SHA-2 (FIPS 180-4), SHA-3 and SHAKE (FIPS 202), BLAKE2
// (RFC 7693).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ferry::vm {

inline constexpr size_t kMaxHashBlock = 200;

// Plain bytes, so that it lives in memory of the isolate.
struct Digest {
  uint64_t words[25];
  uint64_t length;  // bytes taken in so far
  uint8_t buffer[kMaxHashBlock];
  uint32_t buffered;
  uint32_t kind;  // the number of a HashKind
  uint32_t size;  // of the digest, bytes; BLAKE2's is chosen
};

struct HashKind {
  const char* name;
  uint32_t size;   // of the digest; 0: as long as asked for
  uint32_t block;  // bytes
  void (*begin)(Digest* digest);
  void (*take)(Digest* digest, const uint8_t* block);
  // Takes the last block and writes the digest; `out` holds at least `size` bytes.
  void (*finish)(Digest* digest, uint8_t* out, size_t size);
  int64_t steps_of_block;
};

size_t HashKindCount();
const HashKind& HashKindAt(size_t i);
// The number of the kind with this name; -1: there is none.
int FindHashKind(std::string_view name);

void BeginDigest(Digest* digest, int kind);
void UpdateDigest(Digest* digest, std::string_view bytes);
// The digest of what was taken in; `digest` is not changed.
void FinishDigest(const Digest& digest, uint8_t* out, size_t size);

// A block of SHA-1 or SHA-256: the way that every machine goes, and a quicker one; false: this
// machine does not have it, and nothing has happened.

// ---- sha2.cc ----
extern const HashKind kMd5, kSha1, kSha224, kSha256, kSha384, kSha512;
void TakeSha1Plain(Digest* digest, const uint8_t* block);
void TakeSha256Plain(Digest* digest, const uint8_t* block);

// ---- sha_x86.cc ----
bool TakeSha1Quick(Digest* digest, const uint8_t* block);
bool TakeSha256Quick(Digest* digest, const uint8_t* block);

// ---- sha3.cc ----
extern const HashKind kSha3_224, kSha3_256, kSha3_384, kSha3_512, kShake128, kShake256;

// ---- blake2.cc ----
extern const HashKind kBlake2b, kBlake2s;
// Keys and salts of BLAKE2 go in before the first block.
struct BlakeParameters {
  uint32_t size = 0, key = 0, fanout = 1, depth = 1, leaf = 0, node_depth = 0, inner = 0;
  uint64_t node_offset = 0;
  uint8_t salt[16] = {}, person[16] = {};
  bool last_node = false;
};
void BeginBlake(Digest* digest, bool wide, const BlakeParameters& parameters);

}  // namespace ferry::vm
