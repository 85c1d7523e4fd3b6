#include "tools/npy/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "common/sys/random.h"
#include "tools/npy/npz.h"

namespace ferry::npy {
namespace {

using tensor::DType;
using tensor::Shape;
using tensor::Tensor;
using ::testing::HasSubstr;

// A .npy file of version 1.0 around any dictionary.
Bytes File(std::string_view dictionary, std::string_view data) {
  std::string text("\x93NUMPY\x01\x00", 8);
  text.push_back(static_cast<char>(dictionary.size() & 0xff));
  text.push_back(static_cast<char>(dictionary.size() >> 8));
  return ToBytes(text + std::string(dictionary) + std::string(data));
}

TEST(NpyTest, TheHeaderIsPaddedAndSaysTheShape) {
  const int64_t dims[] = {3, 8192};
  const std::string header = NpyHeader("<f4", dims);
  EXPECT_EQ(header.size() % 64, 0u);
  EXPECT_EQ(header.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  const size_t size =
      static_cast<unsigned char>(header[8]) + 256 * static_cast<unsigned char>(header[9]);
  EXPECT_EQ(size + 10, header.size());
  EXPECT_THAT(header, HasSubstr("'shape': (3, 8192)"));
  EXPECT_EQ(header.back(), '\n');
  EXPECT_THAT(NpyHeader("<f4", {dims, 1}), HasSubstr("'shape': (3,)"));
  EXPECT_THAT(NpyHeader("<f4", {}), HasSubstr("'shape': ()"));
}

TEST(NpyTest, EveryTypeComesBack) {
  for (uint8_t number = 1; tensor::IsDType(number); ++number) {
    const auto dtype = static_cast<DType>(number);
    if (dtype == DType::kString) continue;
    SCOPED_TRACE(tensor::DTypeName(dtype));
    Tensor tensor = *Tensor::Zeros(dtype, {2, 0, 3});
    EXPECT_EQ(ReadNpy(*WriteNpy(tensor))->shape(), tensor.shape());
    tensor = *Tensor::Zeros(dtype, {3});
    tensor.SetNumber(1, 1);
    tensor.SetNumber(2, dtype == DType::kF8E8M0 || tensor::IsUnsigned(dtype) ? 1 : -2);
    const Result<Tensor> read = ReadNpy(*WriteNpy(tensor));
    ASSERT_TRUE(read.ok()) << read.status().ToString();
    EXPECT_GE(DTypeSize(read->dtype()), DTypeSize(dtype));
    for (int64_t i = 0; i < 3; ++i) EXPECT_EQ(read->Number(i), tensor.Number(i));
  }
}

TEST(NpyTest, TextsComeBack) {
  const std::string texts[] = {"", "plain", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"};
  const Tensor tensor = *Tensor::Strings({3}, texts);
  const Result<Tensor> read = ReadNpy(*WriteNpy(tensor));
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  for (int64_t i = 0; i < 3; ++i) EXPECT_EQ(read->Text(i), texts[i]);
  const auto bytes = ReadNpy(File("{'descr': '|S3', 'fortran_order': False, 'shape': (2,), }",
                                  std::string_view("ab\0cde", 6)));
  ASSERT_TRUE(bytes.ok()) << bytes.status().ToString();
  EXPECT_EQ(bytes->Text(0), "ab");
  EXPECT_EQ(bytes->Text(1), "cde");
}

TEST(NpyTest, ColumnsFirst) {
  const auto read = ReadNpy(File("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }",
                                 "\x01\x02\x03\x04\x05\x06"));
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  const int64_t want[] = {1, 3, 5, 2, 4, 6};
  for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(read->Integer(i), want[i]);
  const auto texts =
      ReadNpy(File("{'descr': '|S1', 'fortran_order': True, 'shape': (2, 2), }", "abcd"));
  ASSERT_TRUE(texts.ok()) << texts.status().ToString();
  for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(texts->Text(i), std::string(1, "acbd"[i]));
}

TEST(NpyTest, BrokenFilesAreErrors) {
  const auto code = [](std::string_view dictionary, std::string_view data = "") {
    return ReadNpy(File(dictionary, data)).code();
  };
  EXPECT_EQ(ReadNpy({}).code(), Code::kMalformed);
  EXPECT_EQ(ReadNpy(AsBytes("something else")).code(), Code::kMalformed);
  EXPECT_EQ(code("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "1234567"),
            Code::kMalformed);
  EXPECT_EQ(code("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "1234"),
            Code::kUnsupported);
  EXPECT_EQ(code("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }"),
            Code::kUnsupported);
  for (const char* bad :
       {"", "{}", "{'descr': '<f4', 'fortran_order': False, 'shape': (1, }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776, 1099511627776), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }",
        "{'descr': '<U4294967295', 'fortran_order': False, 'shape': (3,), }",
        "{'descr': '<U0', 'fortran_order': False, 'shape': (1073741824,), }",
        "{'descr': '<Ux', 'fortran_order': False, 'shape': (3,), }", "{'descr':"}) {
    EXPECT_EQ(code(bad, "abcdefgh"), Code::kMalformed) << bad;
  }
}

void Put(Bytes& out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i, value >>= 8) out.push_back(static_cast<uint8_t>(value));
}

struct Entry {
  std::string name;
  Bytes content;
  bool deflated = false;
};

Bytes Deflate(const Bytes& content) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  Bytes out(deflateBound(&stream, content.size()));
  stream.next_in = const_cast<uint8_t*>(content.data());
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// An archive; `wide` puts sizes and offsets into ZIP64 fields, as NumPy may.
Bytes Zip(const std::vector<Entry>& entries, bool wide = false) {
  Bytes out, directory;
  for (const Entry& entry : entries) {
    const Bytes packed = entry.deflated ? Deflate(entry.content) : entry.content;
    const uint64_t crc = crc32_z(0, entry.content.data(), entry.content.size());
    const uint64_t offset = out.size();
    const auto common = [&](Bytes& to) {
      Put(to, 20, 2);
      Put(to, 0, 2);
      Put(to, entry.deflated ? 8 : 0, 2);
      Put(to, 0, 4);
      Put(to, crc, 4);
      Put(to, wide ? 0xffffffff : packed.size(), 4);
      Put(to, wide ? 0xffffffff : entry.content.size(), 4);
      Put(to, entry.name.size(), 2);
    };
    Put(out, 0x04034b50, 4);
    common(out);
    Put(out, 0, 2);
    out.insert(out.end(), entry.name.begin(), entry.name.end());
    out.insert(out.end(), packed.begin(), packed.end());
    Put(directory, 0x02014b50, 4);
    Put(directory, 20, 2);
    common(directory);
    Put(directory, wide ? 28 : 0, 2);
    Put(directory, 0, 10);
    Put(directory, wide ? 0xffffffff : offset, 4);
    directory.insert(directory.end(), entry.name.begin(), entry.name.end());
    if (!wide) continue;
    Put(directory, 1, 2);
    Put(directory, 24, 2);
    Put(directory, entry.content.size(), 8);
    Put(directory, packed.size(), 8);
    Put(directory, offset, 8);
  }
  const uint64_t start = out.size();
  out.insert(out.end(), directory.begin(), directory.end());
  Put(out, 0x06054b50, 4);
  Put(out, 0, 4);
  Put(out, entries.size(), 2);
  Put(out, entries.size(), 2);
  Put(out, directory.size(), 4);
  Put(out, start, 4);
  Put(out, 0, 2);
  return out;
}

Bytes Array(int64_t size) {
  Tensor tensor = *Tensor::Zeros(DType::kF32, {size});
  for (int64_t i = 0; i < size; ++i) tensor.SetNumber(i, static_cast<double>(i % 7));
  return *WriteNpy(tensor);
}

TEST(NpzTest, StoredAndDeflated) {
  for (bool wide : {false, true}) {
    const Bytes archive = Zip({{"a.npy", Array(3)}, {"b/c.npy", Array(100'000), true}}, wide);
    EXPECT_LT(archive.size(), 100'000u);
    const auto arrays = ReadNpz(archive);
    ASSERT_TRUE(arrays.ok()) << arrays.status().ToString();
    ASSERT_EQ(arrays->size(), 2u);
    EXPECT_EQ((*arrays)[0].name, "a");
    EXPECT_EQ((*arrays)[1].name, "b/c");
    EXPECT_EQ((*arrays)[1].tensor.elements(), 100'000);
    EXPECT_EQ((*arrays)[1].tensor.Number(99'999), 99'999 % 7);
  }
  EXPECT_TRUE(ReadNpz(Zip({}))->empty());
}

TEST(NpzTest, SizesAreBounded) {
  const Bytes archive = Zip({{"a.npy", Array(1000), true}, {"b.npy", Array(1000)}});
  EXPECT_EQ(ReadNpz(archive, 6000).code(), Code::kLimitExceeded);
  EXPECT_TRUE(ReadNpz(archive, 10'000).ok());
  // An entry that says to hold more than its bytes can: nothing is allocated for it.
  Bytes lies = Zip({{"a", {1, 2, 3}, true}});
  for (size_t at = 0; at + 28 < lies.size(); ++at) {
    if (GetU32(lies.data() + at) == 0x02014b50) PutU32(lies.data() + at + 24, 0xfffffffe);
  }
  EXPECT_EQ(ReadZip(lies).code(), Code::kMalformed);
}

TEST(NpzTest, CutAndChangedArchivesAreErrorsOrHarmless) {
  const Bytes good = Zip({{"a.npy", Array(5)}, {"b.npy", Array(300), true}}, true);
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(ReadNpz(ByteView(good).first(size)).ok()) << size;
  }
  sys::SeededRandom random(1);
  for (int round = 0; round < 5000; ++round) {
    Bytes bad = good;
    for (uint64_t i = 0; i <= random.Below(3); ++i) {
      bad[random.Below(bad.size())] = static_cast<uint8_t>(random.Below(256));
    }
    (void)ReadNpz(bad, size_t{1} << 20).ok();
  }
}

}  // namespace
}  // namespace ferry::npy
