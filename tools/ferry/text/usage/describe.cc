#include "tools/ferry/text/usage/describe.h"

#include "common/base/json.h"
#include "tools/ferry/text/usage/unknown_word.h"

namespace ferry::cli {
namespace {

// CLI11 writes an option that takes one of some words as "TEXT:{a,b}", of numbers as "INT:INT in
// [1 - 8]".
void TakeType(std::string type, OptionText& out) {
  const size_t colon = type.find(':');
  if (const size_t brace = type.find(":{"); brace != type.npos) {
    std::string rest = type.substr(brace + 2, type.rfind('}') - brace - 2);
    while (!rest.empty()) {
      const size_t comma = rest.find(',');
      out.choices.push_back(rest.substr(0, comma));
      rest = comma == rest.npos ? "" : rest.substr(comma + 1);
    }
  }
  out.value = type.substr(0, colon);
}

OptionText TextOf(const CLI::Option& option) {
  OptionText out;
  out.names = option.get_positional() ? option.get_name(true) : option.get_name(false, true);
  out.what = option.get_description();
  if (option.get_items_expected_max() > 0) TakeType(option.get_type_name(), out);
  out.standard = option.get_default_str();
  out.is_required = option.get_required();
  out.is_many = option.get_items_expected_max() > 1;
  return out;
}

std::vector<std::string> ExamplesOf(std::string footer) {
  std::vector<std::string> examples;
  while (!footer.empty()) {
    const size_t end = std::min(footer.find('\n'), footer.size());
    const std::string line = footer.substr(0, end);
    footer.erase(0, std::min(end + 1, footer.size()));
    if (line.starts_with("  ") && line.size() > 2 && line[2] != ' ') {
      examples.push_back(line.substr(2));
    }
  }
  return examples;
}

void AddAll(const CLI::App& app, std::vector<CommandText>& out) {
  out.push_back(Describe(app));
  for (const CLI::App* one : ShownCommands(app)) AddAll(*one, out);
}

Json OptionsJson(const std::vector<OptionText>& options) {
  Json out = Json::array();
  for (const OptionText& option : options) {
    out.push_back({{"names", option.names}, {"value", option.value}, {"what", option.what}});
    if (!option.choices.empty()) out.back()["choices"] = option.choices;
    if (option.is_required) out.back()["required"] = true;
  }
  return out;
}

}  // namespace

std::vector<const CLI::App*> ShownCommands(const CLI::App& app) {
  return app.get_subcommands(
      [](const CLI::App* one) { return !one->get_name().empty() && !one->get_group().empty(); });
}

std::vector<const CLI::Option*> AllOptions(const CLI::App& app) {
  std::vector<const CLI::Option*> out = app.get_options();
  // A group of options is a command without a name.
  for (const CLI::App* group :
       app.get_subcommands([](const CLI::App* one) { return one->get_name().empty(); })) {
    const std::vector<const CLI::Option*> more = AllOptions(*group);
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

CommandText Describe(const CLI::App& app) {
  CommandText out;
  out.path = PathOf(app);
  out.what = app.get_description();
  for (const CLI::Option* option : AllOptions(app)) {
    if (option->get_group().empty()) continue;
    (option->get_positional() ? out.positionals : out.options).push_back(TextOf(*option));
  }
  out.examples = ExamplesOf(app.get_footer());
  out.commands = ShownCommands(app);
  return out;
}

std::vector<CommandText> DescribeAll(const CLI::App& app) {
  std::vector<CommandText> out;
  AddAll(app, out);
  return out;
}

Json CommandsJson(const std::vector<CommandText>& commands) {
  Json out = Json::array();
  for (const CommandText& command : commands) {
    out.push_back({{"command", command.path},
                   {"what", command.what},
                   {"group", !command.commands.empty()},
                   {"options", OptionsJson(command.options)},
                   {"positionals", OptionsJson(command.positionals)},
                   {"examples", command.examples}});
  }
  return out;
}

const CLI::App* FindCommand(const CLI::App& top, const std::vector<std::string>& words) {
  const CLI::App* at = &top;
  for (const std::string& word : words) {
    const CLI::App* next = nullptr;
    for (const CLI::App* one : ShownCommands(*at)) {
      if (one->get_name() == word) next = one;
    }
    if (next == nullptr) return nullptr;
    at = next;
  }
  return at;
}

}  // namespace ferry::cli
