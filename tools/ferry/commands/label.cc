// ferry label: what is right, and how often devices said so.
#include "tools/ferry/command.h"
#include "tools/ferry/remote/api.h"
#include "tools/ferry/remote/stages.h"
#include "tools/ferry/remote/views.h"
#include "tools/ferry/text/visible.h"

namespace ferry::cli {
namespace {

struct LabelOptions {
  std::string set, file, stream, key, value;
};

// The file is one object, of what rows say in their key field to what is right.
Result<Output> PutLabels(const LabelOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(const Json labels, JsonFile(options.file));
  if (!labels.is_object())
    return Status::Of(Code::kMalformed, "{}: labels are an object of keys", options.file);
  FERRY_ASSIGN_OR_RETURN(Json answer,
                         api.Put("/labels/" + PathPart(options.set), {{"labels", labels}}));
  std::string text = fmt::format("{} has {} labels\n", options.set, Field(answer, "labels"));
  return Output{std::move(answer), std::move(text)};
}

Result<Output> ShowAccuracy(const LabelOptions& options, const Api& api) {
  std::string query = "?set=" + PathPart(options.set) + "&stream=" + PathPart(options.stream);
  if (!options.key.empty()) query += "&key=" + PathPart(options.key);
  if (!options.value.empty()) query += "&value=" + PathPart(options.value);
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Get("/accuracy" + query));
  std::string text;
  for (const auto& [key, value] : answer.items())
    text += fmt::format("{}: {}\n", Visible(key), Field(answer, key));
  return Output{std::move(answer), std::move(text)};
}

}  // namespace

void AddLabelCommand(Commands& commands) {
  const auto options = std::make_shared<LabelOptions>();
  CLI::App* group = commands.Group("label", "what is right, to count how often devices are");
  const auto add = [&](const char* name, const char* what, const char* example,
                       Result<Output> (*run)(const LabelOptions&, const Api&)) {
    CLI::App* command = commands.AddOnline(
        group, name, what, example, [options, run](const GlobalOptions& global) -> Result<Output> {
          FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(global));
          return run(*options, api);
        });
    command->add_option("set", options->set, "the set of labels")->required();
    return command;
  };
  add("put", "give the server labels; devices never see them", "ferry label put digits labels.json",
      PutLabels)
      ->add_option("file", options->file, "JSON: {\"KEY\": LABEL, ..}")
      ->required();
  CLI::App* accuracy = add("accuracy", "how many rows of a stream say what the labels say",
                           "ferry label accuracy digits --stream digits.result", ShowAccuracy);
  accuracy->add_option("--stream", options->stream, "the stream")->required();
  accuracy->add_option("--key", options->key, "the rows' field that names the label");
  accuracy->add_option("--value", options->value, "the rows' field that is compared with it");
}

}  // namespace ferry::cli
