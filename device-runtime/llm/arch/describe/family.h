// Families of decoders as text: how a config.json becomes a description. Lines:
//
//   # a comment
//   base: llama               all lines of that family, before these
//   types: llama yi           the model_types of config.json that it reads
//   let NAME = EXPRESSION     a name for the lines below, computed once
//   each NAME = EXPRESSION    the same, computed for each layer
//   MEMBER = EXPRESSION       a member of the description (fields.h); of two, the last counts
//   MEMBER: TEXT              the same, the text as it stands
//
// Expressions are Jinja's; they know the members of config.json (those of its text_config before
// its own), `i` (the layer, in lines of layers), `ropes` (rope.h), and names that were let. A
// member whose value is undefined or none keeps its default. `layers` is the number of layers.
// Beside the members of a description: `import.transposed` (matrices of layers are stored
// [in][out]), `import.norm_offset` (weights of norms are stored less 1),
// `import.head_normalised` (rows of the head are to have length 1) and
// `import.experts_interleaved` (all experts' matrices stand in one tensor, [in][out], outputs of
// gate and up by turns).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "device-runtime/llm/arch/describe/description.h"

namespace ferry::llm {

inline constexpr size_t kMaxFamilyBytes = 64 << 10;

// What is done once, when a checkpoint is read; model files hold the outcome.
struct ImportRules {
  bool transposed = false;
  bool norm_offset = false;
  bool head_normalised = false;
  bool experts_interleaved = false;
};

struct Described {
  Description description;
  ImportRules rules;
};

// Immutable; any thread.
class Family {
 public:
  // kMalformed names the line; kUnsupported a base that is not there.
  static Result<Family> Parse(std::string name, std::string_view text);

  const std::string& name() const { return name_; }
  const std::vector<std::string>& types() const { return types_; }
  // The description of the model that `config` (an object) tells of. kBadModel, kMalformed,
  // kUnsupported, kLimitExceeded; each names the member.
  Result<Described> Describe(const Json& config) const;

 private:
  struct Line {
    enum Kind { kLet, kEach, kMember } kind = kMember;
    std::string name;
    std::string value;
    bool is_text = false;
  };
  Status Add(std::string_view line);
  std::string TemplateText() const;
  Status Explain(const Status& status) const;

  std::string name_;
  std::vector<std::string> types_;
  std::vector<Line> lines_;
};

// The text of a family in families/; kUnsupported.
Result<std::string_view> FamilyTextOf(std::string_view name);
// The families in families/, in the order of their names.
std::span<const Family> Families();
// By a model_type of config.json. kUnsupported names the nearest and all.
Result<const Family*> FindFamily(std::string_view model_type);

}  // namespace ferry::llm
