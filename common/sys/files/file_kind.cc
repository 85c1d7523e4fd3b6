#include "common/sys/files/file_kind.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>

namespace ferry::sys {
namespace {

using namespace std::string_view_literals;

struct Mark {
  std::string_view bytes;
  std::string_view kind;
  size_t offset = 0;
};
// The first that fits counts.
constexpr Mark kMarks[] = {
    {"FERRYMDL"sv, "a Ferry model (.fm)"},
    {"FERRYPKG"sv, "a Ferry package (.fpk)"},
    {"\x89PNG\r\n\x1a\n"sv, "a PNG image"},
    {"\xff\xd8\xff"sv, "a JPEG image"},
    {"GIF8"sv, "a GIF image"},
    {"WEBP"sv, "a WebP image", 8},
    {"TFL3"sv, "a TensorFlow Lite model"},
    {"TFL3"sv, "a TensorFlow Lite model", 4},
    {"\x89HDF\r\n\x1a\n"sv, "an HDF5 file, as Keras writes"},
    {"GGUF"sv, "a GGUF language model: `ferry llm import` reads it"},
    {"\x93NUMPY"sv, "a NumPy array (.npy)"},
    {"PK\x03\x04"sv, "a zip archive, as PyTorch and NumPy's .npz are"},
    {"\x1f\x8b"sv, "a gzip archive: unpack it first"},
    {"\xfd"
     "7zXZ\0"sv,
     "an xz archive: unpack it first"},
    {"\x28\xb5\x2f\xfd"sv, "a zstd archive: unpack it first"},
    {"ustar"sv, "a tar archive: unpack it first", 257},
    {"\x80\x02"sv, "a Python pickle, as PyTorch once wrote"},
    {"\x7f"
     "ELF"sv,
     "a program"},
    {"%PDF"sv, "a PDF document"},
    {"version https://git-lfs"sv, "a Git LFS pointer: `git lfs pull` fetches the file itself"},
};

constexpr size_t kLookedAt = 512;  // of a text

bool BeginsWord(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         std::equal(word.begin(), word.end(), text.begin(), [](char a, char b) {
           return a == static_cast<char>(std::tolower(static_cast<unsigned char>(b)));
         });
}

// Printable letters and spaces; bytes above ASCII pass as UTF-8.
bool IsText(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<uint8_t>(c);
    return byte >= 0x20 ? byte != 0x7f : byte >= '\t' && byte <= '\r';
  });
}

}  // namespace

std::string_view FileKind(ByteView bytes) {
  if (bytes.empty()) return "an empty file";
  const std::string_view text = AsText(bytes);
  for (const Mark& mark : kMarks) {
    if (text.size() >= mark.offset && text.substr(mark.offset).starts_with(mark.bytes)) {
      return mark.kind;
    }
  }
  const std::string_view begin = text.substr(0, kLookedAt);
  if (!IsText(begin)) return "";
  const size_t first = begin.find_first_not_of(" \t\r\n\v\f\xef\xbb\xbf");
  if (first == begin.npos) return "an empty text";
  const std::string_view word = begin.substr(first);
  if (BeginsWord(word, "<!doctype html") || BeginsWord(word, "<html")) {
    return "an HTML page: perhaps the address of a download's page was fetched";
  }
  if (word[0] == '<') return "an XML text";
  if (word[0] == '{' || word[0] == '[') return "a JSON text";
  return "a text";
}

}  // namespace ferry::sys
