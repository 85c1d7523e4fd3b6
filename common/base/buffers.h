// Sizes of working buffers: pieces that a file, a stream or a frame is read and written in.
#pragma once

#include <cstddef>

namespace ferry {

// `normal`, or FERRY_BUFFER_BYTES when that is set and smaller: tests rerun everything with tiny
// buffers, so that every loop over pieces really loops. Only for sizes that no result may depend
// on. Any thread.
size_t BufferBytes(size_t normal);

}  // namespace ferry
