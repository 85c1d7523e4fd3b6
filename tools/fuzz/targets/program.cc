// Whole scripts made from a grammar: every byte of the input is a choice, so that what the fuzzer
// changes stays a script. Their objects change what natives work on while these ask them (`Evil`).
#include <algorithm>
#include <string>

#include "device-runtime/vm/isolate.h"
#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

constexpr vm::Limits kProgramLimits = {.steps = 300'000, .memory_bytes = 8 << 20, .depth = 100};
constexpr size_t kMaxText = 16 << 10;

constexpr std::string_view kPrelude = R"(
import array, base64, bisect, collections, functools, hashlib, heapq, itertools, json, math
import cmath, copy, dataclasses, enum, gc, io, operator, random, re, statistics, struct, weakref
import zlib
a, b, c, s = [3, 1, 2], {1: 2, 'k': [4]}, bytearray(b'bytes'), {1, 'x'}
d = collections.deque([1, 2])
def change(n):
    n %= 13
    if n == 0: a.clear()
    elif n == 1: a.extend(range(40))
    elif n == 2: b.clear()
    elif n == 3: b.update((i, i) for i in range(40))
    elif n == 4: c.clear()
    elif n == 5: c.extend(bytes(100))
    elif n == 6: d.clear()
    elif n == 7: d.extend(range(90))
    elif n == 8: s.clear()
    elif n == 9: s.update(range(40))
    elif n == 10: gc.collect()
    elif n == 11: raise ValueError(n)
    return n
class Evil:
    def __init__(self, n=1): self.n = n
    def __getattr__(self, name):
        if name.startswith('__'): raise AttributeError(name)
        return change(self.n)
def method(name, result):
    def f(self, *rest):
        self.n += 1
        change(self.n)
        return result(self, *rest)
    setattr(Evil, name, f)
for name in 'eq lt gt le ge ne contains bool'.split():
    method(f'__{name}__', lambda self, *r: self.n % 3 == 0)
for name in 'add radd sub mul rmul mod rmod truediv and or xor getitem call pow iadd'.split():
    method(f'__{name}__', lambda self, *r: a if self.n % 2 else self)
for name in 'hash index int len length_hint'.split():
    method(f'__{name}__', lambda self, *r: self.n % 5)
for name in 'str repr'.split(): method(f'__{name}__', lambda self, *r: 'e' * (self.n % 4))
method('__format__', lambda self, *r: 'f'); method('__float__', lambda self: 1.5)
method('__iter__', lambda self: iter(a)); method('__next__', lambda self: self.n)
method('__setitem__', lambda self, *r: None); method('__delitem__', lambda self, *r: None)
method('__enter__', lambda self: self); method('__exit__', lambda self, *r: self.n % 2)
class Many(Evil, list): pass
class Table(Evil, dict): __missing__ = lambda self, key: change(2)
e, m, t = Evil(), Many([1, 2, 3]), Table(q=1)
)";

constexpr std::string_view kAtoms =
    "a;b;c;d;s;e;m;t;x;y;Evil(3);Many(a);Table(b);0;1;-1;7;2**70;-2**63;1.5;"
    "float('nan');1e308;None;True;...;'';'abc';'\\u00e9\\ud800';b'ab';(1, 'a');[];"
    "[a, e];{};{e: a};range(5);memoryview(c);array.array('i', [1, 2]);iter(a);"
    "(i for i in a);lambda *p: change(4);1j;slice(None, None, -1);object;type(e);"
    "'x' * 999;frozenset(s);d.__iter__();b.items();zip(a, d);map(change, a);e.__eq__";
constexpr std::string_view kCalls =
    "sorted;list;tuple;set;dict;sum;max;min;any;all;len;repr;str;bytes;bytearray;"
    "int;float;complex;hash;iter;next;reversed;enumerate;zip;map;filter;print;"
    "isinstance;getattr;setattr;format;pow;divmod;round;abs;ord;chr;slice;range;"
    "type;super;vars;dir;a.sort;a.insert;a.extend;a.index;a.remove;a.pop;b.update;"
    "b.pop;b.setdefault;b.get;b.popitem;c.extend;c.find;c.replace;c.join;c.translate;"
    "d.append;d.rotate;d.index;d.insert;d.extendleft;s.add;s.update;s.discard;"
    "s.intersection_update;s.symmetric_difference_update;s.issubset;'{} {0}'.format;"
    "'%s %5.2f'.__mod__;'a,b'.split;','.join;'abc'.translate;'x'.replace;'a'.encode;"
    "b'ab'.decode;'a'.center;bisect.insort;bisect.bisect;heapq.heappush;heapq.heapify;"
    "heapq.nlargest;heapq.merge;itertools.chain;itertools.product;itertools.permutations;"
    "itertools.groupby;itertools.islice;itertools.accumulate;itertools.tee;"
    "itertools.zip_longest;functools.reduce;functools.partial;functools.cmp_to_key;"
    "functools.lru_cache(2);operator.itemgetter;operator.attrgetter;operator.methodcaller;"
    "json.dumps;json.loads;re.sub;re.findall;re.split;re.compile;struct.pack;"
    "struct.unpack;struct.iter_unpack;struct.pack_into;zlib.compress;zlib.decompress;"
    "base64.b64encode;base64.a85decode;hashlib.sha256;math.fsum;math.gcd;math.comb;"
    "math.prod;math.dist;cmath.phase;random.choice;random.shuffle;random.sample;"
    "statistics.mean;copy.deepcopy;copy.copy;collections.Counter;collections.OrderedDict;"
    "collections.deque;collections.ChainMap;array.array;memoryview;io.StringIO;io.BytesIO;"
    "weakref.ref;enum.Enum;dataclasses.dataclass;int.from_bytes;(5).to_bytes;"
    "bytes.fromhex;str.maketrans;dict.fromkeys;type('T', (), {}).__new__;e;change";
constexpr std::string_view kOperators =
    "+;-;*;/;//;%;**;<<;>>;&;|;^;@;==;!=;<;>=;in;not in;is;and;or";

class Maker {
 public:
  explicit Maker(ByteView bytes) : bytes_(bytes) {}

  std::string Script() {
    out_ = kPrelude;
    out_ += "x = y = None\n";
    while (at_ < bytes_.size() && out_.size() < kMaxText) Statement(0, 0);
    return std::move(out_);
  }

 private:
  size_t Choice(size_t count) { return at_ < bytes_.size() ? bytes_[at_++] % count : 0; }
  // One of the texts between semicolons.
  std::string Of(std::string_view texts) {
    const auto count = static_cast<size_t>(std::count(texts.begin(), texts.end(), ';')) + 1;
    for (size_t n = Choice(count); n > 0; --n) texts.remove_prefix(texts.find(';') + 1);
    return std::string(texts.substr(0, texts.find(';')));
  }
  std::string Arguments(int depth) {
    std::string text;
    for (size_t n = Choice(4); n > 0; --n)
      text += (Choice(9) == 0 ? "*" : "") + Expression(depth) + ", ";
    return text;
  }
  std::string Expression(int depth) {
    if (depth > 4) return Of(kAtoms);
    const auto inner = [&] { return Expression(depth + 1); };
    switch (Choice(12)) {
      case 0:
      case 1:
      case 2:
        return Of(kCalls) + "(" + Arguments(depth + 1) + ")";
      case 3:
      case 4: {
        const std::string left = inner();
        return "(" + left + " " + Of(kOperators) + " " + inner() + ")";
      }
      case 5: {
        const std::string of = inner();
        return of + "[" + inner() + (Choice(2) == 0 ? "]" : ":" + inner() + "]");
      }
      case 6:
        return "[" + inner() + " for x in " + inner() + "]";
      case 7:
        return "f'{" + inner() + "!r:>5}'";
      default:
        return Of(kAtoms);
    }
  }
  void Line(int indent, const std::string& text) {
    out_ += std::string(static_cast<size_t>(indent), ' ') + text + "\n";
  }
  void Block(int indent, int depth) {
    for (size_t n = Choice(3) + 1; n > 0; --n) Statement(indent + 1, depth + 1);
  }
  void Statement(int indent, int depth) {
    Line(indent, "try:");
    Body(indent + 1, depth);
    Line(indent, Choice(8) == 0 ? "finally: gc.collect()" : "except Exception as x: pass");
  }
  void Body(int indent, int depth) {
    switch (depth > 3 ? 0 : Choice(11)) {
      case 1:
        Line(indent, "for y in " + Expression(0) + ":");
        return Block(indent, depth);
      case 2:
        Line(indent, "if " + Expression(0) + ":");
        return Block(indent, depth);
      case 3:
        Line(indent, "def f(p=" + Expression(1) + ", *q, **r):");
        Block(indent, depth);
        Line(indent + 1, (Choice(2) == 0 ? "yield " : "return ") + Expression(1));
        return Line(indent, "x = f(" + Arguments(1) + ")");
      case 4:
        Line(indent, "with e as y:");
        return Block(indent, depth);
      case 5:
        return Line(indent, "a[" + Expression(1) + "] = " + Expression(0));
      case 6:
        return Line(indent, "del a[" + Expression(1) + "]");
      case 7:
        return Line(indent, "x, *y = " + Expression(0));
      case 8:
        Line(indent, "match " + Expression(0) + ":");
        Line(indent + 1, "case [x, *y] | {'k': x, **y}: change(" + Expression(1) + ")");
        return Line(indent + 1, "case _: pass");
      case 9:
        return Line(indent, "y += " + Expression(0));
      default:
        return Line(indent, "x = " + Expression(0));
    }
  }

  const ByteView bytes_;
  size_t at_ = 0;
  std::string out_;
};

void RunProgram(ByteView bytes) {
  auto isolate = vm::Isolate::Create({.limits = kProgramLimits});
  if (!isolate.ok()) return;
  (void)(*isolate)->RunMain(Maker(bytes).Script(), "program.py").ok();
  (*isolate)->Collect();
}

std::vector<Bytes> ProgramSeeds() {
  std::vector<Bytes> seeds(2);
  for (uint32_t i = 0, state = 1; i < 240; ++i) {
    state = state * 1664525 + 1013904223;  // Numerical Recipes' generator
    seeds[i % 2].push_back(static_cast<uint8_t>(state >> 24));
  }
  return seeds;
}

}  // namespace

const Target kProgramTarget = {"program", RunProgram, ProgramSeeds};

}  // namespace ferry::fuzz
