// SipHash: a hash of text under a secret of 128 bits. Nobody who does not know it can choose texts
// whose hashes meet.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ferry::vm {

using HashKey = std::array<uint64_t, 2>;

// ---- siphash.cc ----
// One round for eight bytes and three in the end: enough against who sees no hash. 24 is what the
// publication has values of.
uint64_t SipHash13(const HashKey& key, std::string_view text);
uint64_t SipHash24(const HashKey& key, std::string_view text);

}  // namespace ferry::vm
