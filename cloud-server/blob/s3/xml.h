// What S3 answers in XML, as far as a blob store asks: texts by the names of their elements.
// ---- xml.cc
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"

namespace ferry::server::s3 {

inline constexpr size_t kMaxXmlDepth = 16;

// The texts of all elements of this name, in order. kMalformed says where the document ends being
// one; documents with a type declaration, which could define entities, are none.
Result<std::vector<std::string>> TextsOf(std::string_view xml, std::string_view element);

// As the text of an element.
std::string EscapeXml(std::string_view text);

}  // namespace ferry::server::s3
