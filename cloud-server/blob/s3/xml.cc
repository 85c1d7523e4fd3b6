#include "cloud-server/blob/s3/xml.h"

#include <expat.h>

#include <memory>

namespace ferry::server::s3 {
namespace {

struct Search {
  XML_Parser parser = nullptr;
  std::string_view element;
  std::vector<std::string> texts;
  size_t depth = 0;
  size_t within = 0;  // the depth of the element whose text is read; 0: none
  bool refused = false;

  void Refuse() {
    refused = true;
    XML_StopParser(parser, XML_FALSE);
  }
};

void OnStart(void* data, const char* name, const char**) {
  auto& search = *static_cast<Search*>(data);
  if (++search.depth > kMaxXmlDepth) return search.Refuse();
  if (search.within != 0 || search.element != name) return;
  search.within = search.depth;
  search.texts.emplace_back();
}

void OnEnd(void* data, const char*) {
  auto& search = *static_cast<Search*>(data);
  if (search.depth-- == search.within) search.within = 0;
}

void OnText(void* data, const char* text, int size) {
  auto& search = *static_cast<Search*>(data);
  if (search.within != 0 && search.within == search.depth)
    search.texts.back().append(text, static_cast<size_t>(size));
}

void OnDoctype(void* data, const char*, const char*, const char*, int) {
  static_cast<Search*>(data)->Refuse();
}

}  // namespace

Result<std::vector<std::string>> TextsOf(std::string_view xml, std::string_view element) {
  const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser(
      XML_ParserCreate(nullptr), XML_ParserFree);
  if (parser == nullptr) return Status(Code::kOutOfMemory, "reading XML");
  Search search;
  search.parser = parser.get();
  search.element = element;
  XML_SetUserData(parser.get(), &search);
  XML_SetElementHandler(parser.get(), OnStart, OnEnd);
  XML_SetCharacterDataHandler(parser.get(), OnText);
  XML_SetStartDoctypeDeclHandler(parser.get(), OnDoctype);
  const auto status = XML_Parse(parser.get(), xml.data(), static_cast<int>(xml.size()), XML_TRUE);
  if (search.refused)
    return Status(Code::kMalformed, "XML that is deeper than S3's, or declares a type");
  if (status != XML_STATUS_OK)
    return Status::Of(Code::kMalformed, "XML: line {}: {}", XML_GetCurrentLineNumber(parser.get()),
                      XML_ErrorString(XML_GetErrorCode(parser.get())));
  return std::move(search.texts);
}

std::string EscapeXml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace ferry::server::s3
