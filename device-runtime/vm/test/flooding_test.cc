// Texts that somebody chose so that their hashes meet.
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "device-runtime/vm/exec/state.h"
#include "device-runtime/vm/text/siphash.h"

namespace ferry::vm {
namespace {

using nlohmann::json;

// ASCII texts of 16 bytes, all of one hash: the second word undoes what the first one did.
std::vector<std::string> Colliding(size_t count) {
  constexpr uint64_t kFactor = 0x9E3779B97F4A7C15ull, kSame = 0x1B2D3F4155637785ull;
  std::vector<std::string> texts;
  for (uint64_t i = 0; texts.size() < count; ++i) {
    std::string text(16, 'a');
    for (uint64_t digit = 0, rest = i; digit < 8; ++digit, rest >>= 5)
      text[digit] = static_cast<char>('A' + rest % 32);
    uint64_t first;
    std::memcpy(&first, text.data(), 8);
    uint64_t h = ((0xCBF29CE484222325ull ^ 16) ^ first) * kFactor;
    h ^= h >> 29;
    const uint64_t second = h ^ kSame;
    if ((second & 0x8080808080808080ull) != 0) continue;
    std::memcpy(text.data() + 8, &second, 8);
    texts.push_back(std::move(text));
  }
  return texts;
}

struct Machine {
  explicit Machine(uint64_t secret) {
    Isolate::Options options;
    options.limits = {.steps = 20'000'000, .memory_bytes = 256 << 20};
    isolate = Isolate::Create(std::move(options)).value();
    isolate->vm().secret = {secret, ~secret};
    isolate->vm().has_secret = true;
  }
  json Run(const std::string& source, const json& argument) {
    EXPECT_TRUE(isolate->RunSource(source, "flood").ok());
    auto result = isolate->CallJson("flood", "f", std::span(&argument, 1));
    EXPECT_TRUE(result.ok()) << result.status().ToString();
    return result.ok() ? *result : json();
  }
  std::unique_ptr<Isolate> isolate;
};

constexpr size_t kCount = 20'000;

TEST(Flooding, TheTextsDoCollide) {
  std::set<uint64_t> hashes;
  const std::vector<std::string> texts = Colliding(1000);
  for (const std::string& text : texts) hashes.insert(Vm::HashText(text));
  EXPECT_EQ(hashes.size(), 1u);
  EXPECT_EQ(std::set<std::string>(texts.begin(), texts.end()).size(), 1000u);
}

// Work on texts that meet costs what it costs on texts that do not, whatever the secret is.
TEST(Flooding, TablesOfCollidingTextsCostNoMoreThanOthers) {
  json other = json::array();
  for (size_t i = 0; i < kCount; ++i) other.push_back("text number " + std::to_string(i));
  for (const char* work :
       {"d = {}\n for k in keys: d[k] = 1\n return sum(d[k] for k in keys)",
        // NOLINTNEXTLINE(bugprone-suspicious-missing-comma)
        "d = dict.fromkeys(keys)\n for k in keys: del d[k]\n for k in keys: d[k] = 1\n return "
        "len(d)",
        "s = set(keys)\n return sum(k in s for k in keys)",
        "s = set()\n for k in keys: s.add(k)\n t = s | {1}\n return len(t - {1}) - len(s - s)",
        "d = {(k, 7): 1 for k in keys}\n return sum(d[k, 7] for k in keys)",
        "d = {k.encode(): 1 for k in keys}\n return sum(d[k.encode()] for k in keys)",
        "class A: pass\n a = A()\n for k in keys: setattr(a, k, 1)\n return len(vars(a))"}) {
    const std::string source = std::string("def f(keys):\n ") + work;
    Machine usual(1);
    EXPECT_EQ(usual.Run(source, other), kCount) << work;
    const int64_t steps = usual.isolate->usage().steps;
    for (const uint64_t secret : {2, 3}) {
      Machine flooded(secret);
      EXPECT_EQ(flooded.Run(source, Colliding(kCount)), kCount) << work;
      EXPECT_LT(flooded.isolate->usage().steps, 2 * steps + 10'000) << work;
    }
  }
}

TEST(Flooding, OrderIsOfInsertionInDictsAndOfTheSecretInFloodedSets) {
  const json texts = Colliding(1000);
  EXPECT_EQ(Machine(4).Run("def f(keys): return list({k: 1 for k in keys})", texts), texts);
  const std::string in_set = "def f(keys): return list(set(keys))";
  const json order = Machine(4).Run(in_set, texts);
  EXPECT_EQ(Machine(4).Run(in_set, texts), order);
  EXPECT_NE(Machine(5).Run(in_set, texts), order) << "isolates have secrets of their own";
  json usual = json::array();
  for (int i = 0; i < 1000; ++i) usual.push_back("text " + std::to_string(i));
  EXPECT_EQ(Machine(4).Run(in_set, usual), Machine(5).Run(in_set, usual));
  const std::string hashes = "def f(keys): return [hash(frozenset(keys)), hash(keys[0])]";
  EXPECT_EQ(Machine(4).Run(hashes, texts), Machine(5).Run(hashes, texts));
}

// Keys that say themselves what they equal are found beside texts.
TEST(Flooding, KeysOfOtherKindsAreFoundInFloodedTables) {
  constexpr char kSource[] = R"(
class Name(str):
    def __eq__(self, other): return str(self) == str(other)
    __hash__ = str.__hash__
class Odd:
    def __hash__(self): return 7
    def __eq__(self, other): return isinstance(other, Odd)
OTHERS = [None, True, 2.5, 10**30, b"bytes", (1, "x"), (1.0, "y"), frozenset({1}), Odd(), 3,
          Name("z")]
def f(keys):
    d, s = {}, set()
    for k in keys:
        d[k] = k
        s.add(k)
    for i, other in enumerate(OTHERS):
        assert other not in d and other not in s, i
        assert keys[5] in d and keys[5] in s
        d[other] = i
        s.add(other)
        assert d[other] == i and other in s, i
        assert Name("z") not in d or i == 10
        more = dict(d); both = s | {"more"}
        more["more"] = 1
        for k in keys:
            assert more[k] == k and k in both, i
        assert len(more) == len(keys) + i + 2 and len(both) == len(more)
        del more[keys[3]]
        both.remove(keys[3])
        assert keys[3] not in more and keys[3] not in both and keys[4] in more and keys[4] in both
    assert d[1] == 1 and d[(1, "y")] == 6 and d["z"] == 10 and "z" in s
    return list(d)[:len(keys)] == keys
)";
  EXPECT_EQ(Machine(6).Run(kSource, Colliding(300)), true);
}

// The values of the publication, for the variant that it has values of.
TEST(SipHash, IsThePublishedOne) {
  const HashKey key = {0x0706050403020100u, 0x0f0e0d0c0b0a0908u};
  std::string text;
  for (char c = 0; c < 15; ++c) text += c;
  EXPECT_EQ(SipHash24(key, text), 0xa129ca6149be45e5u);
  EXPECT_EQ(SipHash24(key, ""), 0x726fdb47dd0e0e31u);
  EXPECT_NE(SipHash13(key, text), SipHash13({key[0], key[1] ^ 1}, text));
  EXPECT_NE(SipHash13(key, text), SipHash24(key, text));
}

}  // namespace
}  // namespace ferry::vm
