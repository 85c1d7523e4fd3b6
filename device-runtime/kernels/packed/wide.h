// Products of low-bit weights over tile registers, by bits.
#pragma once

namespace ferry::kernels {

struct PackedStrip;

void PackedWideAmx2(const PackedStrip& s);
void PackedWideAmx3(const PackedStrip& s);
void PackedWideAmx4(const PackedStrip& s);
void PackedWideAmx8(const PackedStrip& s);

}  // namespace ferry::kernels
