// ferry template: a conversation as the text that a model reads.
#include "common/base/json.h"
#include "common/sys/clock.h"
#include "common/sys/filesystem.h"
#include "device-runtime/llm/model.h"
#include "device-runtime/llm/template/source.h"
#include "tools/ferry/command.h"
#include "tools/ferry/standard_streams.h"
#include "tools/ferry/text/tokenizer_source.h"

namespace ferry::cli {
namespace {

struct TemplateRequest {
  std::string model;
  std::string name = "default";
  std::string messages;
  std::string tools;
  std::string variables;
  bool generation_prompt = false;
};

// A template of its own, or that of a model, which lives as long.
struct NamedTemplate {
  llm::TemplateSource source;
  std::shared_ptr<const llm::Model> model;
  const llm::ChatTemplate* chat_template = nullptr;
};

Result<NamedTemplate> OpenTemplate(const TemplateRequest& request) {
  NamedTemplate named;
  sys::FileSystem& fs = sys::SystemFileSystem();
  FERRY_ASSIGN_OR_RETURN(const sys::FileInfo info, fs.Stat(request.model));
  if (!info.is_directory && IsModelFile(request.model)) {
    FERRY_ASSIGN_OR_RETURN(named.model, llm::Model::Load(fs, request.model));
    FERRY_ASSIGN_OR_RETURN(named.chat_template, named.model->chat_template());
    return named;
  }
  if (info.is_directory) {
    FERRY_ASSIGN_OR_RETURN(named.source, llm::LoadTemplateFolder(fs, request.model, request.name));
  } else {
    FERRY_ASSIGN_OR_RETURN(named.source, llm::LoadTemplateFile(fs, request.model, request.name));
  }
  named.chat_template = named.source.chat_template.get();
  return named;
}

// The text of a JSON value, which is one.
Result<std::string> ReadJsonText(const std::string& path) {
  std::string text;
  if (path == "-") {
    FERRY_ASSIGN_OR_RETURN(text, ReadStandardInput(kMaxJsonBytes));
  } else {
    FERRY_ASSIGN_OR_RETURN(const Bytes bytes,
                           sys::ReadFile(sys::SystemFileSystem(), path, kMaxJsonBytes));
    text = AsText(bytes);
  }
  FERRY_TRY(ParseJson(text).Context("{}", path == "-" ? "standard input" : path));
  return text;
}

// The text of an object with "messages"; a bare list of messages is put into one.
Result<std::string> ReadMessages(const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(std::string text, ReadJsonText(path));
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  if (json.is_array()) text = "{\"messages\":" + text + "}";
  const Json* list = &json;
  if (!json.is_array()) {
    FERRY_ASSIGN_OR_RETURN(list, GetArray(json, "messages").Context("{}", path));
  }
  for (const Json& message : *list) {
    if (!message.is_object()) {
      return Status::Of(Code::kMalformed, "{}: a message is an object, found {}", path,
                        message.type_name());
    }
    FERRY_TRY(GetString(message, "role").Context("{}: a message", path));
  }
  return text;
}

// `object` (the text of one) with a first member more.
std::string WithMember(std::string_view object, std::string_view key, std::string_view value) {
  const size_t open = object.find('{') + 1;
  const bool empty = object.find_first_not_of(" \t\r\n", open) == object.rfind('}');
  return fmt::format("{{\"{}\":{}{}{}", key, value, empty ? "" : ",", object.substr(open));
}

Result<Output> RenderTemplate(const TemplateRequest& request) {
  FERRY_ASSIGN_OR_RETURN(const NamedTemplate named, OpenTemplate(request));
  Json more = named.source.variables;
  more["now"] = sys::SystemClock().NowUnixMs() / 1000;
  if (!request.variables.empty()) {
    FERRY_ASSIGN_OR_RETURN(const std::string text, ReadJsonText(request.variables));
    FERRY_ASSIGN_OR_RETURN(const Json variables, ParseJson(text));
    if (!variables.is_object()) {
      return Status::Of(Code::kMalformed, "{}: wanted an object of variables", request.variables);
    }
    more.update(variables);
  }
  FERRY_ASSIGN_OR_RETURN(std::string variables, ReadMessages(request.messages));
  if (!request.tools.empty()) {
    FERRY_ASSIGN_OR_RETURN(const std::string tools, ReadJsonText(request.tools));
    variables = WithMember(variables, "tools", tools);
  }
  FERRY_ASSIGN_OR_RETURN(const std::string text, named.chat_template->RenderJson(
                                                     variables, request.generation_prompt, more));
  Output out;
  out.json()["text"] = text;
  out.text = text;
  out.exact = true;
  return out;
}

}  // namespace

void AddTemplateCommand(Commands& commands) {
  const auto request = std::make_shared<TemplateRequest>();
  CLI::App* render =
      commands.Add(nullptr, "template", "print a conversation as the text that a model reads",
                   "ferry template pair/draft --messages chat.json --generation-prompt",
                   [request](const GlobalOptions&) { return RenderTemplate(*request); });
  render
      ->add_option("model", request->model,
                   "a Hugging Face folder, a GGUF or .flm file, tokenizer_config.json, or a "
                   "template as text (.jinja)")
      ->required();
  render
      ->add_option("--messages", request->messages,
                   "JSON: [{\"role\": \"user\", \"content\": \"...\"}, ...]; - is standard input")
      ->required();
  render->add_option("--tools", request->tools, "JSON: the tools that the template may offer");
  render->add_flag("--generation-prompt", request->generation_prompt,
                   "end with the beginning of the model's answer");
  render->add_option("--variables", request->variables,
                     "JSON: an object of more variables; they replace those of the model");
  render->add_option("--name", request->name, "the template of this name, where there are several")
      ->capture_default_str();
}

}  // namespace ferry::cli
