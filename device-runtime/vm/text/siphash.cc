#include "device-runtime/vm/text/siphash.h"

#include <bit>
#include <cstring>

namespace ferry::vm {
namespace {

struct SipState {
  uint64_t a, b, c, d;

  void Rounds(int count) {
    for (; count > 0; --count) {
      a += b;
      b = std::rotl(b, 13) ^ a;
      a = std::rotl(a, 32);
      c += d;
      d = std::rotl(d, 16) ^ c;
      a += d;
      d = std::rotl(d, 21) ^ a;
      c += b;
      b = std::rotl(b, 17) ^ c;
      c = std::rotl(c, 32);
    }
  }
  void Take(uint64_t word, int rounds) {
    d ^= word;
    Rounds(rounds);
    a ^= word;
  }
};

template <int kEach, int kLast>
uint64_t SipHash(const HashKey& key, std::string_view text) {
  SipState state = {key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du,
                    key[0] ^ 0x6c7967656e657261u, key[1] ^ 0x7465646279746573u};
  const char* at = text.data();
  size_t left = text.size();
  for (; left >= 8; at += 8, left -= 8) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    state.Take(word, kEach);
  }
  uint64_t tail = 0;
  if (left > 0) std::memcpy(&tail, at, left);
  state.Take(tail | static_cast<uint64_t>(text.size()) << 56, kEach);
  state.c ^= 0xff;
  state.Rounds(kLast);
  return state.a ^ state.b ^ state.c ^ state.d;
}

}  // namespace

uint64_t SipHash13(const HashKey& key, std::string_view text) {
  return SipHash<1, 3>(key, text);
}
uint64_t SipHash24(const HashKey& key, std::string_view text) {
  return SipHash<2, 4>(key, text);
}

}  // namespace ferry::vm
