#include "device-runtime/kernels/raster/raster.h"

#include "device-runtime/kernels/testing/testing.h"

namespace ferry::kernels {
namespace {

using testing::Numbers;
using testing::SplitParallel;

// The definition of a region copy, on bytes.
void NaiveCopy(int bytes, const Region& r, const std::vector<uint8_t>& from,
               std::vector<uint8_t>& to) {
  int64_t count = 1;
  for (int i = 0; i < r.rank; ++i) count *= r.size[i];
  for (int64_t n = 0; n < count; ++n) {
    int64_t rest = n;
    int64_t f = r.from;
    int64_t t = r.to;
    for (int i = r.rank - 1; i >= 0; --i) {
      f += rest % r.size[i] * r.from_stride[i];
      t += rest % r.size[i] * r.to_stride[i];
      rest /= r.size[i];
    }
    std::copy_n(from.begin() + f * bytes, bytes, to.begin() + t * bytes);
  }
}

std::vector<uint8_t> BytesOf(Numbers& numbers, int64_t count) {
  std::vector<uint8_t> v(static_cast<size_t>(count));
  for (uint8_t& x : v) x = static_cast<uint8_t>(numbers.Whole(0, 255));
  return v;
}

// Both sides walk boxes somewhat larger than the region, in random axis order and direction.
Region RandomRegion(Numbers& numbers, int64_t* from_size, int64_t* to_size) {
  Region r;
  r.rank = static_cast<int>(numbers.Whole(0, 4));
  for (int i = 0; i < r.rank; ++i) r.size[i] = numbers.Pick<int64_t>({1, 2, 3, 5, 8, 19, 33});
  const auto lay_out = [&](int64_t* stride, int64_t* start, bool may_repeat) {
    std::vector<int> order;
    for (int i = 0; i < r.rank; ++i) order.insert(order.begin() + numbers.Whole(0, i), i);
    int64_t step = 1;
    *start = numbers.Whole(0, 3);
    for (int i : order) {
      stride[i] = step;
      step *= r.size[i] + numbers.Pick<int64_t>({0, 0, 0, 1});
      if (may_repeat && numbers.Whole(0, 7) == 0) {
        stride[i] = 0;
      } else if (numbers.Whole(0, 7) == 0) {
        *start += stride[i] * (r.size[i] - 1);
        stride[i] = -stride[i];
      }
    }
    return step + 4;
  };
  *from_size = lay_out(r.from_stride, &r.from, true);
  *to_size = lay_out(r.to_stride, &r.to, false);
  return r;
}

TEST(RasterTest, CopiesBitsOfRandomRegions) {
  Numbers numbers(61);
  for (int round = 0; round < 400; ++round) {
    int64_t from_size = 0;
    int64_t to_size = 0;
    const Region r = RandomRegion(numbers, &from_size, &to_size);
    const int bytes = 1 << (round % 4);
    const std::vector<uint8_t> from = BytesOf(numbers, from_size * bytes);
    const std::vector<uint8_t> before = BytesOf(numbers, to_size * bytes);
    std::vector<uint8_t> want = before;
    NaiveCopy(bytes, r, from, want);
    for (int width = 1; width <= 3; ++width) {
      std::vector<uint8_t> to = before;
      SplitParallel parallel(width);
      Copy(parallel, bytes, r, from.data(), to.data());
      ASSERT_EQ(to, want) << "round " << round << " pieces " << width;
    }
  }
}

TEST(RasterTest, TransposesOfEveryPermutation) {
  Numbers numbers(62);
  int permutation[4] = {0, 1, 2, 3};
  do {
    const int64_t dims[4] = {numbers.Whole(1, 3), numbers.Whole(1, 20), numbers.Whole(1, 20),
                             numbers.Whole(1, 20)};
    const int64_t count = dims[0] * dims[1] * dims[2] * dims[3];
    const std::vector<float> from = numbers.Reals(count);
    std::vector<float> to(static_cast<size_t>(count));
    SplitParallel parallel(2);
    Copy(parallel, 4, TransposeRegion(4, dims, permutation), from.data(), to.data());
    int64_t stride[4];
    stride[3] = 1;
    for (int i = 2; i >= 0; --i) stride[i] = stride[i + 1] * dims[i + 1];
    for (int64_t i = 0; i < count; ++i) {
      int64_t rest = i;
      int64_t at = 0;
      for (int k = 3; k >= 0; --k) {
        at += rest % dims[permutation[k]] * stride[permutation[k]];
        rest /= dims[permutation[k]];
      }
      ASSERT_EQ(to[i], from[at]);
    }
  } while (std::next_permutation(permutation, permutation + 4));
}

TEST(RasterTest, SimplifiedJoinsWhatIsContiguous) {
  Region r;
  r.rank = 4;
  const int64_t size[] = {2, 1, 3, 4};
  const int64_t stride[] = {12, 99, 4, 1};
  std::copy_n(size, 4, r.size);
  std::copy_n(stride, 4, r.from_stride);
  std::copy_n(stride, 4, r.to_stride);
  const Region s = Simplified(r);
  EXPECT_EQ(s.rank, 1);
  EXPECT_EQ(s.size[0], 24);
  r.from_stride[0] = 24;  // every second block
  EXPECT_EQ(Simplified(r).rank, 2);
}

TEST(RasterTest, EmptyRegionsCopyNothing) {
  Region r;
  r.rank = 2;
  r.size[0] = 3;
  r.size[1] = 0;
  Copy(sys::SerialParallel(), 4, r, nullptr, nullptr);
}

TEST(RasterTest, FillsElementsOfEverySize) {
  for (int bytes : {1, 2, 4, 8}) {
    const uint64_t value = 0x0102030405060708;
    for (int width = 1; width <= 3; ++width) {
      std::vector<uint8_t> to(static_cast<size_t>(10 * bytes + 1), 0xee);
      SplitParallel parallel(width);
      Fill(parallel, bytes, 10, &value, to.data());
      for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(std::memcmp(to.data() + i * bytes, &value, static_cast<size_t>(bytes)), 0);
      }
      EXPECT_EQ(to.back(), 0xee);
    }
  }
}

}  // namespace
}  // namespace ferry::kernels
