#include "device-runtime/vm/isolate.h"
#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

constexpr vm::Limits kScriptLimits = {.steps = 200'000, .memory_bytes = 8 << 20, .depth = 100};

void RunScript(ByteView bytes) {
  auto isolate = vm::Isolate::Create({.limits = kScriptLimits});
  if (!isolate.ok()) return;
  auto result = (*isolate)->RunSource(AsText(bytes), "fuzz");
  if (result.ok()) (void)(*isolate)->Repr(*result).ok();
}

std::vector<Bytes> ScriptSeeds() {
  std::vector<Bytes> seeds;
  for (std::string_view text :
       {"def f(a, *b, c=1, **d):\n    for i in range(3):\n        yield i\nx = list(f(1))\n",
        "class A:\n    def __init__(self):\n        self.x = [i * 2 for i in 'abc']\n"
        "try:\n    A().y\nexcept AttributeError as e:\n    print(f'{e!r:>10}')\n",
        "import math\nd = {1: (2, 3), 'k': {4}}\nwhile d:\n    d.popitem()\nassert 2 ** 100 % "
        "7\n"}) {
    seeds.push_back(ToBytes(text));
  }
  return seeds;
}

}  // namespace

const Target kScriptTarget = {"script", RunScript, ScriptSeeds};

}  // namespace ferry::fuzz
