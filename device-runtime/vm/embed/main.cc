// ferry-vmc FOLDER OUTPUT: compiles every .py file of FOLDER and writes OUTPUT, a row of
// FERRY_MODULE(name, size, bytes) for each, sorted by name: compressed by zlib, `size` bytes
// before.
#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "device-runtime/vm/bytecode.h"
#include "device-runtime/vm/embed/modules.h"

namespace ferry::vm {

// While these modules are made there are none.
const EmbeddedModule* FindEmbedded(std::string_view) {
  return nullptr;
}
std::string Unpacked(const EmbeddedModule&) {
  return {};
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

std::string Packed(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string packed(size, '\0');
  const int status =
      compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), Z_BEST_COMPRESSION);
  packed.resize(status == Z_OK ? size : 0);
  return packed;
}

int Main(const std::filesystem::path& folder, const char* output) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".py") files.push_back(entry.path());
  // By module name: "json" before "json.decoder", whose file name comes first.
  std::sort(files.begin(), files.end(), [](const auto& one, const auto& other) {
    return one.stem().string() < other.stem().string();
  });
  std::ostringstream out;
  for (const std::filesystem::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    std::stringstream source;
    source << in.rdbuf();
    // Its source is not on the device, so nobody could show columns.
    const Result<std::string> bytes = CompileToBytecode(source.str(), file.string(), false, false);
    if (!bytes.ok()) {
      std::fprintf(stderr, "%s\n", bytes.status().message().c_str());
      return 1;
    }
    out << "FERRY_MODULE(\"" << file.stem().string() << "\", " << bytes->size() << ",\n";
    WriteBytes(out, Packed(*bytes));
    out << ")\n";
  }
  // An output that stays as it was is not compiled again.
  std::stringstream before;
  before << std::ifstream(output, std::ios::binary).rdbuf();
  if (before.str() != out.str()) std::ofstream(output, std::ios::binary) << out.str();
  return 0;
}

}  // namespace
}  // namespace ferry::vm

int main(int argc, char** argv) {
  if (argc == 3) return ferry::vm::Main(argv[1], argv[2]);
  std::fprintf(stderr, "usage: ferry-vmc FOLDER OUTPUT\n");
  return 2;
}
