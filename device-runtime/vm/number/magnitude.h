// Natural numbers of any size as limbs of 32 bits, least significant first, without leading zeros.
// Source: Knuth, The Art of Computer Programming 2, 4.3.1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ferry::vm {

using Magnitude = std::vector<uint32_t>;

void Trim(Magnitude* m);
int CompareMagnitudes(const Magnitude& a, const Magnitude& b);
Magnitude AddMagnitudes(const Magnitude& a, const Magnitude& b);
Magnitude SubMagnitudes(const Magnitude& a, const Magnitude& b);  // a >= b
Magnitude MulMagnitudes(const Magnitude& a, const Magnitude& b);
void DivModMagnitudes(const Magnitude& a, const Magnitude& b, Magnitude* quotient,
                      Magnitude* remainder);  // b is not zero
Magnitude ShiftLeft(const Magnitude& a, size_t bits);
Magnitude ShiftRight(const Magnitude& a, size_t bits, bool* lost);  // lost: a one was shifted out
void MulAddSmall(Magnitude* m, uint32_t factor, uint32_t term);
uint32_t DivSmall(Magnitude* m, uint32_t divisor);  // gives the remainder
size_t BitLength(const Magnitude& m);

}  // namespace ferry::vm
