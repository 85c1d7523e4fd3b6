// Where chat templates come from, with what they may use beside the messages.
#pragma once

#include <memory>

#include "common/base/json.h"
#include "common/sys/filesystem.h"
#include "device-runtime/formats/gguf.h"
#include "device-runtime/llm/template/chat_template.h"

namespace ferry::llm {

struct TemplateSource {
  std::unique_ptr<ChatTemplate> chat_template;
  Json variables = Json::object();  // texts: "bos_token", "eos_token" and their kin
};

// chat_template.jinja, chat_template.json or the chat_template of tokenizer_config.json, whichever
// of them `folder` has first. Of a list of named ones that called `name`. kFailedPrecondition when
// it has none; kMalformed, kUnsupported as ChatTemplate::Parse.
Result<TemplateSource> LoadTemplateFolder(sys::FileSystem& fs, const std::string& folder,
                                          const std::string& name = "default");
// A GGUF file's tokenizer.chat_template (tokenizer.chat_template.NAME for other names).
Result<TemplateSource> TemplateFromGguf(const formats::Gguf& gguf,
                                        const std::string& name = "default");
// A GGUF file, a tokenizer_config.json or a template as text.
Result<TemplateSource> LoadTemplateFile(sys::FileSystem& fs, const std::string& path,
                                        const std::string& name = "default");

}  // namespace ferry::llm
