#include "device-runtime/vm/bytecode.h"

#include "device-runtime/vm/isolate.h"
#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

constexpr vm::Limits kLimits = {.steps = 50'000, .memory_bytes = 8 << 20, .depth = 60};
constexpr size_t kHead = 9;  // magic, version, instruction set

std::string Compiled(std::string_view source) {
  return vm::CompileToBytecode(source, "fuzz.py", false).value();
}

// What the verifier takes is run. The head is made right, or nothing would come past it.
void RunBytecode(ByteView bytes) {
  static const std::string head = Compiled("").substr(0, kHead);
  std::string file = head;
  if (bytes.size() > kHead) file += AsText(bytes.subspan(kHead));
  auto isolate = vm::Isolate::Create({.limits = kLimits});
  if (!isolate.ok()) return;
  (void)(*isolate)->RunMain(file, "fuzz.py").ok();
  (*isolate)->Collect();
}

std::vector<Bytes> BytecodeSeeds() {
  std::vector<Bytes> seeds;
  for (std::string_view text :
       {"def f(a, *b, c=1, **d):\n    for i in range(3):\n        x = yield i, a, b, c, d\n"
        "print(list(f(1, 2, k=3)))\n",
        "class A:\n    x = 1\n    def m(self):\n        return lambda: (self, A.x)\ntry:\n"
        "    A().m()()[2]\nexcept IndexError as e:\n    print(f'{e!r:>30}')\nfinally:\n"
        "    print('end')\n",
        "def outer():\n    n = 0\n    def inner():\n        nonlocal n\n        n += 1\n"
        "        return [n, {n: 'a', **{}}, {1, n}, (1,)[0:1]]\n    return inner\nf = outer()\n"
        "a, *b = f()\nprint(a, b, [x for x in 'abc' if x > 'a'], max(*[1, 2]))\n"}) {
    seeds.push_back(ToBytes(Compiled(text)));
  }
  return seeds;
}

}  // namespace

const Target kBytecodeTarget = {"bytecode", RunBytecode, BytecodeSeeds};

}  // namespace ferry::fuzz
