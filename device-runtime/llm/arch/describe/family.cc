#include "device-runtime/llm/arch/describe/family.h"

#include <algorithm>
#include <set>

#include "common/base/json.h"
#include "common/base/nearest.h"
#include "device-runtime/llm/arch/describe/fields.h"
#include "device-runtime/llm/arch/describe/rope.h"
#include "device-runtime/llm/template/chat_template.h"

namespace ferry::llm {
namespace {

constexpr const char* kLayers = "layers";
constexpr const char* kTransposed = "import.transposed";
constexpr const char* kNormOffset = "import.norm_offset";
constexpr const char* kHeadNormalised = "import.head_normalised";
constexpr const char* kExpertsInterleaved = "import.experts_interleaved";

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// Removes `word` and the blank behind it from the front.
bool TakeWord(std::string_view word, std::string_view* line) {
  if (!line->starts_with(word) || line->size() <= word.size() || (*line)[word.size()] != ' ') {
    return false;
  }
  *line = Trimmed(line->substr(word.size()));
  return true;
}

bool IsName(std::string_view name) {
  return !name.empty() &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789") == std::string_view::npos;
}

struct MemberNames {
  std::vector<std::string> model, layer;
};
const MemberNames& Names() {
  static const MemberNames* const names = [] {
    auto* result = new MemberNames;
    const Description description;
    VisitModelFields(description, [&](const char* name, const auto&, Bounds) {
      result->model.emplace_back(name);
    });
    const LayerDescription layer;
    VisitLayerFields(
        layer, [&](const char* name, const auto&, Bounds) { result->layer.emplace_back(name); });
    for (const char* name :
         {kLayers, kTransposed, kNormOffset, kHeadNormalised, kExpertsInterleaved}) {
      result->model.emplace_back(name);
    }
    return result;
  }();
  return *names;
}

bool Has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool TakeFlag(Json* json, const char* name) {
  const auto it = json->find(name);
  if (it == json->end()) return false;
  const bool value = it->is_boolean() && it->get<bool>();
  json->erase(it);
  return value;
}

// config.json with the members of its text_config in front.
Json Flattened(const Json& config) {
  Json result = config;
  const auto text = config.find("text_config");
  if (text == config.end() || !text->is_object()) return result;
  for (const auto& [name, value] : text->items()) result[name] = value;
  return result;
}

}  // namespace

Result<Family> Family::Parse(std::string name, std::string_view text) {
  if (text.size() > kMaxFamilyBytes) {
    return Status::Of(Code::kLimitExceeded, "{}: {} bytes, at most {}", name, text.size(),
                      kMaxFamilyBytes);
  }
  Family family;
  family.name_ = std::move(name);
  int number = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = Trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.empty() || line[0] == '#') continue;
    FERRY_TRY(family.Add(line).Context("{}:{}", family.name_, number));
  }
  return family;
}

Status Family::Add(std::string_view line) {
  Line added;
  if (TakeWord("let", &line)) added.kind = Line::kLet;
  if (added.kind == Line::kMember && TakeWord("each", &line)) added.kind = Line::kEach;
  const size_t at = line.find_first_of("=:");
  if (at == std::string_view::npos) {
    return Status(Code::kMalformed, "wanted \"NAME = EXPRESSION\" or \"NAME: TEXT\"");
  }
  added.name = Trimmed(line.substr(0, at));
  added.value = Trimmed(line.substr(at + 1));
  added.is_text = line[at] == ':';
  if (added.value.empty()) return Status::Of(Code::kMalformed, "{} has no value", added.name);
  if (added.is_text && added.name == "base") {
    FERRY_ASSIGN_OR_RETURN(const std::string_view text, FamilyTextOf(added.value));
    FERRY_ASSIGN_OR_RETURN(Family base, Parse(added.value, text));
    lines_.insert(lines_.end(), base.lines_.begin(), base.lines_.end());
    return OkStatus();
  }
  if (added.is_text && added.name == "types") {
    for (std::string_view rest = added.value; !rest.empty();) {
      const size_t end = std::min(rest.find(' '), rest.size());
      types_.emplace_back(rest.substr(0, end));
      rest = Trimmed(rest.substr(end));
    }
    return OkStatus();
  }
  if (added.kind != Line::kMember) {
    if (added.is_text || !IsName(added.name)) {
      return Status::Of(Code::kMalformed, "\"{}\" cannot be let", added.name);
    }
  } else if (!Has(Names().model, added.name) && !Has(Names().layer, added.name)) {
    std::vector<std::string> all = Names().model;
    all.insert(all.end(), Names().layer.begin(), Names().layer.end());
    return Status::Of(Code::kUnsupported, "no member \"{}\" is known; did you mean \"{}\"?",
                      added.name, NearestName(added.name, all));
  }
  lines_.push_back(std::move(added));
  return OkStatus();
}

// A template that prints {"model": {...}, "layer": [{...}, ...]}.
std::string Family::TemplateText() const {
  std::string out;
  const auto let = [&](const Line& line) {
    out += fmt::format("{{% set {} = ({}) %}}\n", line.name, line.value);
  };
  const auto members = [&](const std::vector<std::string>& names) {
    std::set<std::string_view> done;
    for (auto it = lines_.rbegin(); it != lines_.rend(); ++it) {
      const Line& line = *it;
      if (line.kind != Line::kMember || !Has(names, line.name)) continue;
      if (!done.insert(line.name).second) continue;
      if (line.is_text) {
        out += fmt::format("{}: {},\n", WriteJson(line.name), WriteJson(line.value));
      } else {
        out += fmt::format(
            "{{% set value = ({}) %}}{{% if value is defined and value is not none %}}{}: "
            "{{{{ value | tojson }}}},{{% endif %}}\n",
            line.value, WriteJson(line.name));
      }
    }
    out += "\"end\": 0}";
  };
  for (const Line& line : lines_) {
    if (line.kind == Line::kLet) let(line);
  }
  out += "{\"model\": {\n";  // apart, as two braces open an expression
  members(Names().model);
  std::string_view layers = "0";
  for (const Line& line : lines_) {
    if (line.kind == Line::kMember && line.name == kLayers) layers = line.value;
  }
  out += fmt::format(", \"layer\": [{{% for i in range({}) %}}{{% if i > 0 %}},{{% endif %}}\n",
                     layers);
  for (const Line& line : lines_) {
    if (line.kind == Line::kEach) let(line);
  }
  out += "{\n";
  members(Names().layer);
  out += "{% endfor %}]}";
  return out;
}

// Says which expression the member of a description comes from that the message names.
Status Family::Explain(const Status& status) const {
  const Line* found = nullptr;
  for (const Line& line : lines_) {
    if (line.kind != Line::kMember || line.is_text) continue;
    if (status.message().find(line.name) == std::string_view::npos) continue;
    if (found == nullptr || line.name.size() >= found->name.size()) found = &line;
  }
  const std::string family = fmt::format("config.json as the family \"{}\" reads it", name_);
  if (found == nullptr) return status.Context("{}", family);
  return status.Context("{} ({} = {})", family, found->name, found->value);
}

Result<Described> Family::Describe(const Json& config) const {
  Json variables = Flattened(config);
  FERRY_ASSIGN_OR_RETURN(variables["ropes"], ReadRopes(variables));
  const auto layers = variables.find("num_hidden_layers");
  if (layers != variables.end() && layers->is_number() && layers->get<double>() > kMaxLayers) {
    return Status::Of(Code::kLimitExceeded, "num_hidden_layers is {}, at most {}",
                      WriteJson(*layers), kMaxLayers);
  }
  FERRY_ASSIGN_OR_RETURN(const auto text, ChatTemplate::Parse(TemplateText()));
  auto rendered = text->Render({}, false, variables);
  if (!rendered.ok()) {
    return Status::Of(Code::kBadModel, "config.json does not fit the family \"{}\": {}", name_,
                      rendered.status().message());
  }
  FERRY_ASSIGN_OR_RETURN(Json json, ParseJson(*rendered).Context("the family \"{}\"", name_));
  Json model = std::move(json["model"]);
  Described result;
  result.rules = {.transposed = TakeFlag(&model, kTransposed),
                  .norm_offset = TakeFlag(&model, kNormOffset),
                  .head_normalised = TakeFlag(&model, kHeadNormalised),
                  .experts_interleaved = TakeFlag(&model, kExpertsInterleaved)};
  model.erase(kLayers);
  model.erase("end");
  for (Json& layer : json["layer"]) layer.erase("end");
  model["layer"] = std::move(json["layer"]);
  model["family"] = name_;
  auto description = DescriptionFromJson(model);
  if (!description.ok()) return Explain(description.status());
  result.description = std::move(*description);
  return result;
}

}  // namespace ferry::llm
