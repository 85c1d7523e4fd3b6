#include "tools/npy/npy.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <vector>

namespace ferry::npy {
namespace {

using tensor::DType;
using tensor::Shape;
using tensor::Tensor;

static_assert(std::endian::native == std::endian::little, "the file has the host's byte order");
constexpr size_t kAlignment = 64;
constexpr std::string_view kMagic = "\x93NUMPY";
constexpr uint32_t kLastCodePoint = 0x10ffff;

struct Row {
  std::string_view descr;
  DType dtype;
};
// What is read; what is written is the first row of a type.
constexpr Row kRows[] = {
    {"<f4", DType::kF32}, {"<f8", DType::kF64}, {"<f2", DType::kF16}, {"|i1", DType::kI8},
    {"|u1", DType::kU8},  {"<i2", DType::kI16}, {"<u2", DType::kU16}, {"<i4", DType::kI32},
    {"<u4", DType::kU32}, {"<i8", DType::kI64}, {"<u8", DType::kU64}, {"|b1", DType::kBool},
};

// The type that a tensor is written as.
DType WrittenAs(DType dtype) {
  for (const Row& row : kRows) {
    if (row.dtype == dtype) return dtype;
  }
  if (tensor::IsFloat(dtype)) return DType::kF32;
  return tensor::IsUnsigned(dtype) ? DType::kU8 : DType::kI8;
}

std::string_view DescrOf(DType dtype) {
  const Row* row = std::ranges::find(kRows, dtype, &Row::dtype);
  return row->descr;
}

// UTF-8 to code points; a byte that is none stands for itself.
std::vector<uint32_t> CodePoints(std::string_view text) {
  std::vector<uint32_t> out;
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<uint8_t>(text[i]);
    const size_t length = lead < 0x80 ? 1 : lead < 0xc0 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    uint32_t point = length == 1 ? lead : lead & (0x7fU >> length);
    bool good = length > 0 && i + length <= text.size();
    for (size_t k = 1; good && k < length; ++k) {
      const auto next = static_cast<uint8_t>(text[i + k]);
      good = (next & 0xc0) == 0x80;
      point = point << 6 | (next & 0x3f);
    }
    out.push_back(good && point <= kLastCodePoint ? point : lead);
    i += good ? length : 1;
  }
  return out;
}

void AppendUtf8(uint32_t point, std::string& out) {
  if (point < 0x80) {
    out.push_back(static_cast<char>(point));
    return;
  }
  const int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  out.push_back(static_cast<char>(((0xff00 >> (more + 1)) & 0xff) | (point >> (6 * more))));
  for (int k = more - 1; k >= 0; --k) {
    out.push_back(static_cast<char>(0x80 | ((point >> (6 * k)) & 0x3f)));
  }
}

Bytes WithHeader(std::string_view descr, std::span<const int64_t> dims, size_t size) {
  const std::string header = NpyHeader(descr, dims);
  Bytes out;
  out.reserve(header.size() + size);
  out.insert(out.end(), header.begin(), header.end());
  return out;
}

Bytes WriteStrings(const Tensor& tensor) {
  std::vector<std::vector<uint32_t>> texts;
  size_t longest = 1;
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    texts.push_back(CodePoints(tensor.Text(i)));
    longest = std::max(longest, texts.back().size());
  }
  Bytes out =
      WithHeader(fmt::format("<U{}", longest), tensor.shape().dims(), texts.size() * longest * 4);
  for (std::vector<uint32_t>& text : texts) {
    text.resize(longest, 0);
    const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
    out.insert(out.end(), bytes, bytes + longest * 4);
  }
  return out;
}

// The header's dictionary: three keys of known kinds, in any order.
struct Header {
  std::string descr;
  bool columns_first = false;
  std::vector<int64_t> dims;
};

Status BadHeader(std::string_view text) {
  return Status::Of(Code::kMalformed, "its header is not understood: {:.200}", text);
}

// What follows "'key':" in the dictionary, without leading spaces.
std::optional<std::string_view> Find(std::string_view text, std::string_view key) {
  for (char quote : {'\'', '"'}) {
    const std::string quoted = fmt::format("{}{}{}", quote, key, quote);
    size_t at = text.find(quoted);
    if (at == std::string_view::npos) continue;
    at = text.find_first_not_of(' ', at + quoted.size());
    if (at == std::string_view::npos || text[at] != ':') return std::nullopt;
    at = text.find_first_not_of(' ', at + 1);
    if (at == std::string_view::npos) return std::nullopt;
    return text.substr(at);
  }
  return std::nullopt;
}

Result<Header> ParseHeader(std::string_view text) {
  Header header;
  const auto descr = Find(text, "descr");
  const auto order = Find(text, "fortran_order");
  const auto shape = Find(text, "shape");
  if (!descr || !order || !shape || !shape->starts_with('(')) return BadHeader(text);
  if (descr->starts_with('[')) return Status(Code::kUnsupported, "an array of records");
  const char quote = descr->front();
  const size_t end = descr->find(quote, 1);
  if ((quote != '\'' && quote != '"') || end == std::string_view::npos) return BadHeader(text);
  header.descr = descr->substr(1, end - 1);
  header.columns_first = order->starts_with("True");
  std::string_view rest = shape->substr(1);
  while (true) {
    const size_t digit = rest.find_first_not_of(" ,");
    if (digit == std::string_view::npos) return BadHeader(text);
    rest.remove_prefix(digit);
    if (rest.starts_with(')')) return header;
    int64_t extent = 0;
    const auto [next, error] = std::from_chars(rest.data(), rest.data() + rest.size(), extent);
    if (error != std::errc() || header.dims.size() >= 64) return BadHeader(text);
    header.dims.push_back(extent);
    rest.remove_prefix(static_cast<size_t>(next - rest.data()));
  }
}

// `count` characters of 4 bytes ("<U") or 1 ("|S") an element, padded with zeros.
Result<Tensor> ReadStrings(const Header& header, const Shape& shape, ByteView data) {
  const bool wide = header.descr[1] == 'U';
  const auto elements = static_cast<size_t>(shape.elements());
  uint32_t count = 0;
  const char* begin = header.descr.data() + 2;
  const char* end = header.descr.data() + header.descr.size();
  const auto parsed = std::from_chars(begin, end, count);
  if (parsed.ec != std::errc() || parsed.ptr != end) return BadHeader(header.descr);
  const size_t unit = wide ? 4 : 1;
  // Strings of no characters would make as many of them as a header claims.
  if (elements != 0 && (count == 0 || data.size() / elements != count * unit)) {
    return Status::Of(Code::kMalformed, "{} bytes for {} strings of {}", data.size(), elements,
                      header.descr);
  }
  std::vector<std::string> texts;
  for (size_t i = 0; i < elements; ++i) {
    const ByteView element = data.subspan(i * count * unit, count * unit);
    std::string text;
    for (size_t k = 0; k < count; ++k) {
      const uint32_t point = wide ? GetU32(element.data() + 4 * k) : element[k];
      if (point > kLastCodePoint) return Status(Code::kMalformed, "a text is no Unicode");
      if (wide) {
        AppendUtf8(point, text);
      } else {
        text.push_back(static_cast<char>(point));
      }
    }
    text.erase(text.find_last_not_of('\0') + 1);
    texts.push_back(std::move(text));
  }
  return Tensor::Strings(shape, texts);
}

// Puts elements that lie column-major row-major, in place: strings' texts belong to the tensor.
Tensor RowMajor(Tensor tensor, std::span<const int64_t> dims) {
  const Bytes columns = ToBytes(tensor.bytes());
  const size_t size = DTypeSize(tensor.dtype());
  std::vector<int64_t> index(dims.size(), 0), strides(dims.size(), 1);
  for (size_t i = 1; i < dims.size(); ++i) strides[i] = strides[i - 1] * dims[i - 1];
  for (int64_t at = 0; at < tensor.elements(); ++at) {
    int64_t from = 0;
    for (size_t i = 0; i < dims.size(); ++i) from += index[i] * strides[i];
    std::memcpy(tensor.mutable_raw() + static_cast<size_t>(at) * size,
                columns.data() + static_cast<size_t>(from) * size, size);
    for (size_t i = dims.size(); i-- > 0;) {
      if (++index[i] < dims[i]) break;
      index[i] = 0;
    }
  }
  return tensor;
}

}  // namespace

std::string NpyHeader(std::string_view descr, std::span<const int64_t> dims) {
  std::string shape;
  for (int64_t dim : dims) shape += fmt::format("{}{}", shape.empty() ? "" : ", ", dim);
  if (dims.size() == 1) shape += ",";
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, shape);
  const size_t before = kMagic.size() + 4;
  const size_t whole = (before + text.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
  text.resize(whole - before - 1, ' ');
  text.push_back('\n');
  std::string header(kMagic);
  header +=
      {'\x01', '\x00', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return header + text;
}

Result<Bytes> WriteNpy(const Tensor& tensor) {
  if (tensor.dtype() == DType::kString) return WriteStrings(tensor);
  Tensor written = tensor;
  if (const DType as = WrittenAs(tensor.dtype()); as != tensor.dtype()) {
    FERRY_ASSIGN_OR_RETURN(written, Tensor::Allocate(as, tensor.shape()));
    for (int64_t i = 0; i < tensor.elements(); ++i) written.SetNumber(i, tensor.Number(i));
  }
  Bytes out = WithHeader(DescrOf(written.dtype()), written.shape().dims(),
                         static_cast<size_t>(written.size_bytes()));
  const ByteView data = written.bytes();
  out.insert(out.end(), data.begin(), data.end());
  return out;
}

Result<Tensor> ReadNpy(ByteView bytes) {
  if (bytes.size() < 12 || !AsText(bytes).starts_with(kMagic)) {
    return Status(Code::kMalformed, "not a .npy file");
  }
  const uint8_t version = bytes[6];
  if (version < 1 || version > 3) {
    return Status::Of(Code::kUnsupported, "version {} of the .npy format", version);
  }
  const size_t start = version == 1 ? 10 : 12;
  const size_t length = version == 1 ? GetU32(bytes.data() + 8) & 0xffff : GetU32(bytes.data() + 8);
  if (length > kMaxHeaderBytes || length > bytes.size() - start) {
    return Status(Code::kMalformed, "its header is cut or too long");
  }
  FERRY_ASSIGN_OR_RETURN(const Header header, ParseHeader(AsText(bytes.subspan(start, length))));
  const auto shape = Shape::Make(header.dims);
  if (!shape.ok()) return Status(Code::kMalformed, shape.status().message());
  const ByteView data = bytes.subspan(start + length);
  if (header.descr.starts_with("<U") || header.descr.starts_with("|S")) {
    FERRY_ASSIGN_OR_RETURN(Tensor texts, ReadStrings(header, *shape, data));
    return header.columns_first ? RowMajor(std::move(texts), header.dims) : std::move(texts);
  }
  const Row* row = std::ranges::find(kRows, header.descr, &Row::descr);
  if (row == std::end(kRows)) return Status::Of(Code::kUnsupported, "type '{}'", header.descr);
  const auto size = static_cast<size_t>(shape->elements()) * DTypeSize(row->dtype);
  if (data.size() != size) {
    return Status::Of(Code::kMalformed, "{} {} needs {} bytes, {} are there",
                      tensor::DTypeName(row->dtype), shape->ToString(), size, data.size());
  }
  FERRY_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(row->dtype, *shape));
  if (size > 0) std::memcpy(out.mutable_raw(), data.data(), size);
  if (row->dtype == DType::kBool) {
    for (int64_t i = 0; i < out.elements(); ++i) out.SetInteger(i, out.raw()[i]);
  }
  return header.columns_first ? RowMajor(std::move(out), header.dims) : std::move(out);
}

}  // namespace ferry::npy
