// The desk library: standard modules that only people at a desk use (tests, pickles, looking into
// programs). lib/desk has them; the program `ferry` carries them, no device does.
#pragma once

#include "device-runtime/vm/embed/modules.h"

namespace ferry::vm {

// For Isolate::Options::desk.
const EmbeddedLibrary& DeskLibrary();

}  // namespace ferry::vm
