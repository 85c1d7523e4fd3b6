// ferry-vmc [--places] FOLDER OUTPUT: compiles every .py file of FOLDER and writes OUTPUT: rows of
// FERRY_GROUP(modules, size, bytes), `size` bytes packed as a zlib stream (EmbeddedGroup says what
// they are), then for each module, sorted by name, FERRY_MODULE(name, group, column). Without
// --places the modules know the first line of their functions alone.
#include <zopfli/zopfli.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "common/base/bytes.h"
#include "device-runtime/vm/bytecode.h"
#include "device-runtime/vm/bytecode/format.h"
#include "device-runtime/vm/embed/modules.h"

namespace ferry::vm {

// While its modules are made there are none.
const EmbeddedLibrary& RuntimeLibrary() {
  static constexpr EmbeddedLibrary kNone = {};
  return kNone;
}

namespace {

// Short literals: compilers are slow with long ones, and \x must not run into a following digit.
void WriteBytes(std::ostream& out, std::string_view bytes) {
  constexpr size_t kPiece = 24;
  for (size_t at = 0; at < bytes.size(); at += kPiece) {
    out << '"';
    for (const char c : bytes.substr(at, kPiece)) {
      char text[8];
      std::snprintf(text, sizeof text, "\\x%02x", static_cast<unsigned char>(c));
      out << text;
    }
    out << "\"\n";
  }
}

// Zopfli divides the stream where its statistics change, which these parts do: 7 % less than zlib's
// best.
std::string Packed(const std::string& bytes) {
  ZopfliOptions options;
  ZopfliInitOptions(&options);
  unsigned char* packed = nullptr;
  size_t size = 0;
  ZopfliCompress(&options, ZOPFLI_FORMAT_ZLIB, reinterpret_cast<const unsigned char*>(bytes.data()),
                 bytes.size(), &packed, &size);
  std::string out(reinterpret_cast<const char*>(packed), size);
  std::free(packed);
  return out;
}

// A script that imports any module of a group waits until the group is unpacked, so what most
// scripts never ask for lies apart.
constexpr std::string_view kGroups[][12] = {
    {"asyncio", "inspect", "pprint", "shlex", "textwrap", "traceback", "unittest", "warnings",
     "csv", "gc", "weakref", "errno"},
    {"_timetext", "datetime", "decimal", "fractions", "numbers", "random", "statistics", "time"},
};

size_t GroupOf(std::string_view module) {
  for (size_t i = 0; i < std::size(kGroups); ++i)
    if (std::count(std::begin(kGroups[i]), std::end(kGroups[i]), module) > 0) return i + 1;
  return 0;
}

struct Compiled {
  std::string name, bytes;
  size_t group;
};

// The table of sizes, the first pieces of the modules, then the second ones and so on.
std::string Joined(const std::vector<Compiled>& modules, size_t group) {
  std::string sizes, all;
  for (uint32_t i = 0; i < kFilePieces; ++i) {
    for (const Compiled& module : modules) {
      if (module.group != group) continue;
      std::string_view parts[kFileParts];
      if (!PartsOf(module.bytes, parts)) return {};
      const size_t head = static_cast<size_t>(parts[0].data() - module.bytes.data());
      const std::string_view piece =
          i == 0 ? std::string_view(module.bytes).substr(0, head) : parts[i - 1];
      uint8_t size[4];
      PutU32(size, static_cast<uint32_t>(piece.size()));
      sizes += AsText(size);
      all += piece;
    }
  }
  return sizes + all;
}

std::string Rows(const std::vector<Compiled>& modules) {
  std::ostringstream out;
  std::vector<uint32_t> columns(std::size(kGroups) + 1);
  for (const Compiled& module : modules) ++columns[module.group];
  while (columns.back() == 0) columns.pop_back();
  for (size_t group = 0; group < columns.size(); ++group) {
    const std::string all = Joined(modules, group);
    out << "FERRY_GROUP(" << columns[group] << ", " << all.size() << ",\n";
    WriteBytes(out, Packed(all));
    out << ")\n";
  }
  columns.assign(columns.size(), 0);
  for (const Compiled& module : modules)
    out << "FERRY_MODULE(\"" << module.name << "\", " << module.group << ", "
        << columns[module.group]++ << ")\n";
  return out.str();
}

int Main(const std::filesystem::path& folder, const char* output, bool places) {
  std::vector<Compiled> modules;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::filesystem::path& file = entry.path();
    if (file.extension() != ".py") continue;
    std::stringstream source;
    source << std::ifstream(file, std::ios::binary).rdbuf();
    Result<std::string> bytes =
        CompileToBytecode(source.str(), "<lib>/" + file.filename().string(), false, places);
    if (!bytes.ok()) {
      std::fprintf(stderr, "%s\n", bytes.status().message().c_str());
      return 1;
    }
    const std::string name = file.stem().string();
    modules.push_back({name, *std::move(bytes), places ? 0 : GroupOf(name)});
  }
  // By module name: "json" before "json.decoder", whose file name comes first.
  std::sort(modules.begin(), modules.end(),
            [](const Compiled& one, const Compiled& other) { return one.name < other.name; });
  const std::string rows = Rows(modules);
  // An output that stays as it was is not compiled again.
  std::stringstream before;
  before << std::ifstream(output, std::ios::binary).rdbuf();
  if (before.str() != rows) std::ofstream(output, std::ios::binary) << rows;
  return 0;
}

}  // namespace
}  // namespace ferry::vm

int main(int argc, char** argv) {
  const bool places = argc > 1 && std::strcmp(argv[1], "--places") == 0;
  if (argc == 3 + places) return ferry::vm::Main(argv[1 + places], argv[2 + places], places);
  std::fprintf(stderr, "usage: ferry-vmc [--places] FOLDER OUTPUT\n");
  return 2;
}
