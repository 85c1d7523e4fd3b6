// Reader of Ferry's model file (format.h), in place.
#pragma once

#include <memory>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "device-runtime/llm/file/header.h"
#include "device-runtime/llm/load/parts.h"

namespace ferry::llm {

// Checks header, places and the checksums of all but tensors, which ModelParts::check does (on all
// cores when the file is large). `owner` keeps `file` alive; `release`: what was checked leaves
// memory. kBadModel names the section; kUnsupported for a newer version, an unknown kind of section
// that is not optional, an unknown type of weights; kOutOfMemory.
Result<ModelParts> ReadModelFile(ByteView file, std::shared_ptr<const void> owner,
                                 bool release = false);

// What any file of this form is read with: that checksums hold; the tensor of a section's bytes.
// kBadModel names the section.
Status CheckSections(ByteView file, const std::vector<Section>& sections, bool release = false);
Result<StoredTensor> ReadTensorSection(const Section& section, ByteView bytes);

}  // namespace ferry::llm
