// What the runtime itself finds out about the machine it runs on, for rules of policies.
#pragma once

#include <string>

#include "common/sys/filesystem.h"
#include "policy/target/attributes.h"

namespace ferry::agent {

// Fills what `attributes` does not say: the system ("linux", "android"), memory, free space of the
// disk that holds `directory`, what the processor runs ("x86_64" or "arm64", and instruction sets
// of kernels that run), the offset of local time, the measured class. What cannot be found out
// stays unknown. Looks at the disk: once a login.
//
// The class is measured once for a state directory, in about 20 ms, and kept in its file
// "measured_class", so that a busy moment does not move the device between rules.
void FillMachine(sys::FileSystem& fs, const std::string& directory, target::Attributes* attributes);

// "high": from 2 billion multiply-adds a second on one core, 4 cores and 3.5 GiB on; "mid": from
// half a billion, 2 cores and 1.5 GiB on; else "low". Memory -1: not known.
std::string ClassOf(double multiply_adds_a_second, unsigned cores, int64_t memory_bytes);

// Memory of this process that is in RAM; -1 where the system does not say.
int64_t ResidentBytes();

}  // namespace ferry::agent
