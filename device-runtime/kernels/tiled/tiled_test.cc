// Tile registers against their description (reference.cc), that against plain loops, and products
// cut into blocks against both.
#include "device-runtime/kernels/tiled/product.h"

#include "device-runtime/kernels/testing/testing.h"

namespace ferry::kernels {
namespace {

using testing::Numbers;
using testing::SplitParallel;

using Bytes = std::vector<uint8_t>;

const TiledKernels& Plain() {
  return *TableOf(Isa::kReference).tiled;
}

Bytes RandomBytes(Numbers& numbers, int64_t count) {
  Bytes v(static_cast<size_t>(count));
  for (uint8_t& x : v) x = static_cast<uint8_t>(numbers.Whole(0, 255));
  return v;
}

struct alignas(64) Place {
  uint8_t bytes[10 * kMaxTiledParts * kTiledStep];
};

// The bits that a form's copy and block make of rows of `bytes` bytes.
struct BlockCase {
  int64_t rows, columns, chunks;
  Bytes a, b;
};
std::vector<uint32_t> SumsOf(const TiledForm& form, const TiledKernels& kernels, BlockCase t,
                             bool goes_on) {
  auto place = std::make_unique<Place>();
  std::memset(place->bytes, 0, sizeof place->bytes);
  std::vector<const uint8_t*> rows;
  const int64_t each = t.chunks * form.chunk_bytes;
  for (int64_t i = 0; i < t.rows; ++i) rows.push_back(t.a.data() + i * each);
  form.copy({rows.data(), t.rows, each, 0, 0, place->bytes});
  std::vector<uint32_t> sums(kTiledRows * kTiledColumns), start(kTiledColumns);
  for (uint32_t& x : start) x = 0x3f800000;  // 1 of float32
  TiledBlock block = {place->bytes, t.rows,       t.chunks,   t.b.data(),
                      t.columns,    start.data(), sums.data()};
  kernels.begin();
  form.block(block);
  if (goes_on) {
    block.start = nullptr;
    form.block(block);
  }
  kernels.end();
  std::vector<uint32_t> out;
  for (int64_t i = 0; i < t.rows; ++i)
    for (int64_t j = 0; j < t.columns; ++j)
      out.push_back(sums[static_cast<size_t>(i * kTiledColumns + j)]);
  return out;
}

// Halves of float32 numbers near 1, of both signs.
void MakeHalves(Bytes& bytes) {
  for (size_t i = 1; i < bytes.size(); i += 2)
    bytes[i] = static_cast<uint8_t>((bytes[i] & 0x80) | 0x3e | (bytes[i] & 1));
}

TEST(TiledTest, RegistersDoWhatTheReferenceDoes) {
  Numbers numbers(1);
  int native = 0;
  for (const Isa isa : RunningIsas()) {
    const TiledKernels& kernels = *TableOf(isa).tiled;
    if (!kernels.is_native) continue;
    ++native;
    for (int round = 0; round < 60; ++round) {
      SCOPED_TRACE(round);
      const int64_t rows = numbers.Whole(1, kTiledRows), columns = 16 * numbers.Whole(1, 2);
      const int64_t chunks = numbers.Whole(1, 9);
      const auto check = [&](const TiledForm& form, const TiledForm& plain, bool is_float) {
        BlockCase t = {rows, columns, chunks,
                       RandomBytes(numbers, rows * chunks * form.chunk_bytes),
                       RandomBytes(numbers, columns * chunks * form.parts * kTiledChunk)};
        if (is_float) MakeHalves(t.a), MakeHalves(t.b);
        EXPECT_EQ(SumsOf(form, kernels, t, round % 2 == 1),
                  SumsOf(plain, Plain(), t, round % 2 == 1));
      };
      check(kernels.bytes, Plain().bytes, false);
      check(kernels.halves, Plain().halves, true);
      check(kernels.floats, Plain().floats, true);
    }
  }
  if (native == 0) GTEST_SKIP() << "this processor has no tile registers";
}

TEST(TiledTest, CopiesGoWhereTheyShould) {
  Numbers numbers(2);
  for (const Isa isa : RunningIsas()) {
    const TiledKernels& kernels = *TableOf(isa).tiled;
    for (int round = 0; round < 100; ++round) {
      for (const auto form : {&TiledKernels::bytes, &TiledKernels::floats}) {
        const int64_t unit = form == &TiledKernels::floats ? 4 : 1;
        const int64_t bytes = unit * numbers.Whole(1, 200), at = unit * numbers.Whole(0, 100);
        const int64_t rows = numbers.Whole(1, kTiledRows);
        const Bytes from = RandomBytes(numbers, rows * bytes);
        std::vector<const uint8_t*> pointers;
        for (int64_t i = 0; i < rows; ++i) pointers.push_back(from.data() + i * bytes);
        const auto flip = static_cast<uint8_t>(unit == 1 ? numbers.Pick({0, 128}) : 0);
        const auto run = [&](const TiledKernels& of) {
          auto place = std::make_unique<Place>();
          std::memset(place->bytes, 7, sizeof place->bytes);
          (of.*form).copy({pointers.data(), rows, bytes, at, flip, place->bytes});
          return Bytes(place->bytes, place->bytes + sizeof place->bytes);
        };
        ASSERT_EQ(run(kernels), run(Plain())) << IsaName(isa) << " " << unit << " " << round;
      }
    }
  }
}

TEST(TiledTest, ThePartsOfANumberAreNearlyAllOfIt) {
  Numbers numbers(3);
  for (const Isa isa : RunningIsas()) {
    const TiledForm& form = TableOf(isa).tiled->floats;
    for (int round = 0; round < 300; ++round) {
      const float x = std::ldexp(numbers.Real(-1, 1), static_cast<int>(numbers.Whole(-90, 120)));
      const auto* row = reinterpret_cast<const uint8_t*>(&x);
      auto place = std::make_unique<Place>();
      form.copy({&row, 1, 4, 0, 0, place->bytes});
      float sum = 0;
      for (int part = kMaxTiledParts - 1; part >= 0; --part) {
        uint16_t half;
        std::memcpy(&half, place->bytes + part * kTiledStep, sizeof half);
        const uint32_t bits = uint32_t{half} << 16;
        float value;
        std::memcpy(&value, &bits, sizeof value);
        sum += value;
      }
      EXPECT_LE(std::fabs(sum - x), 0x1p-17f * std::fabs(x));
    }
  }
}

TEST(TiledTest, SumsEndAlike) {
  Numbers numbers(5);
  for (int round = 0; round < 100; ++round) {
    const int64_t rows = numbers.Whole(1, kTiledRows), columns = numbers.Whole(1, kTiledColumns);
    const int64_t stride = columns + numbers.Whole(0, 5);
    struct alignas(64) Sums {
      float all[kTiledRows * kTiledColumns];
    } sums;
    for (float& x : sums.all) x = numbers.Real(-2, 2);
    sums.all[0] = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> bias = numbers.Reals(columns), add = numbers.Reals(rows * stride);
    TiledFinish t = {sums.all, rows,  columns, round % 2 == 0 ? bias.data() : nullptr,
                     nullptr,  -0.5f, 1.5f,    nullptr,
                     stride};
    if (round % 3 == 0) t.add = add.data();
    const auto run = [&](const KernelTable& table) {
      testing::Output y(rows * stride);
      t.c = y.data();
      table.tiled->finish(t);
      return y.Take();
    };
    const std::vector<float> expected = run(TableOf(Isa::kReference));
    EXPECT_TRUE(std::isnan(expected[0]));
    for (const Isa isa : RunningIsas())
      ASSERT_NO_FATAL_FAILURE(testing::ExpectSameBits(run(TableOf(isa)), expected));
  }
}

struct Runs final : ByteRows {
  const Bytes* data;
  int64_t taps, run;
  void Fill(int64_t first, int count, int64_t first_tap, int64_t some,
            const uint8_t** pointers) const override {
    for (int64_t t = 0; t < some; ++t)
      for (int i = 0; i < count; ++i)
        pointers[t * count + i] = data->data() + ((first + i) * taps + first_tap + t) * run;
  }
};
struct Sums final : TiledSink {
  int64_t columns;
  mutable std::vector<uint32_t> all;
  void Take(const void* sums, int64_t row, int64_t rows, int64_t column,
            int64_t count) const override {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < count; ++j)
        all[static_cast<size_t>((row + i) * columns + column + j)] =
            static_cast<const uint32_t*>(sums)[i * kTiledColumns + j];
  }
};

// Bytes: exact whatever the blocks, segments of depth, taps and threads.
TEST(TiledTest, ProductsInBlocksAreExact) {
  Numbers numbers(4);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    const int64_t rows = numbers.Whole(1, 70), columns = numbers.Whole(1, 90);
    const int64_t taps = numbers.Pick<int64_t>({1, 1, 3, 9, 40}), run = numbers.Whole(1, 70);
    const int64_t tap = (run + 3) / 4 * 4, depth = (taps * tap + 63) / 64 * 64;
    const Bytes a = RandomBytes(numbers, rows * taps * run);
    const Bytes weights = RandomBytes(numbers, columns * taps * run);
    const int64_t padded = TiledPadded(columns);
    Bytes b(static_cast<size_t>(padded * depth));
    std::vector<uint32_t> start(static_cast<size_t>(padded) + 16), expected;
    for (uint32_t& x : start) x = static_cast<uint32_t>(numbers.Whole(0, 1000));
    const uint8_t flip = numbers.Pick<uint8_t>({0, 128});
    for (int64_t j = 0; j < columns; ++j) {
      const int64_t first = j / 32 * 32, width = std::min<int64_t>(32, padded - first);
      for (int64_t k = 0; k < taps * run; ++k) {
        const int64_t at = k / run * tap + k % run;
        b[static_cast<size_t>(first * depth + (at / 4 * width + j - first) * 4 + at % 4)] =
            weights[static_cast<size_t>(j * taps * run + k)];
      }
    }
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        uint32_t sum = start[static_cast<size_t>(j)];
        for (int64_t k = 0; k < taps * run; ++k) {
          const int left = a[static_cast<size_t>(i * taps * run + k)] ^ flip;
          sum += static_cast<uint32_t>(
              left * static_cast<int8_t>(weights[static_cast<size_t>(j * taps * run + k)]));
        }
        expected.push_back(sum);
      }
    }
    Runs source;
    source.data = &a;
    source.taps = taps;
    source.run = run;
    for (const Isa isa : RunningIsas()) {
      for (int width = 1; width <= 3; ++width) {
        SplitParallel parallel(width);
        Sums sink;
        sink.columns = columns;
        sink.all.resize(expected.size());
        TiledProduct p;
        p.rows = rows;
        p.columns = columns;
        p.taps = taps;
        p.run_bytes = run;
        p.tap_bytes = tap;
        p.flip = flip;
        p.source = &source;
        p.b = b.data();
        p.start = start.data();
        p.form = &TableOf(isa).tiled->bytes;
        p.sink = &sink;
        RunTiledProduct(TableOf(isa), parallel, p);
        ASSERT_EQ(sink.all, expected) << IsaName(isa) << " " << width;
      }
    }
  }
}

}  // namespace
}  // namespace ferry::kernels
