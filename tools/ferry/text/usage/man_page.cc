#include "tools/ferry/text/usage/man_page.h"

#include <algorithm>

#include "common/base/status.h"
#include "tools/ferry/cli.h"

namespace ferry::cli {
namespace {

constexpr char kExitStatus[] = R"(.SH EXIT STATUS
.TP
0
done
.TP
1
failed; one line on standard error says what and where
.TP
2
the command line is wrong
)";

constexpr char kEnvironment[] = R"(.SH ENVIRONMENT
.TP
FERRY_SERVER, FERRY_TOKEN, FERRY_PIN, FERRY_CA
as the options of these names
.TP
FERRY_CONFIG
where \fBferry login\fR keeps server and token
.TP
FERRY_ISA
the instruction set of the kernels
)";

// As roff shows it: nothing of it is a request or an escape.
std::string Shown(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out += "\\&";
      out += c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string Bold(const std::string& text) {
  return "\\fB" + Shown(text) + "\\fR";
}

std::string Sentence(std::string text) {
  if (!text.empty() && !text.ends_with('.')) text += '.';
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return Shown(text) + "\n";
}

std::string OptionRoff(const OptionText& option) {
  std::string value = option.value;
  if (!option.choices.empty()) {
    value.clear();
    for (const std::string& choice : option.choices) value += (value.empty() ? "" : "|") + choice;
  }
  std::string out = ".TP\n" + Bold(option.names);
  if (!value.empty()) out += " \\fI" + Shown(value) + "\\fR";
  out += "\n" + Shown(option.what);
  if (!option.standard.empty()) out += " (" + Shown(option.standard) + " unless told)";
  return out + (option.what.empty() && option.standard.empty() ? "\\&\n" : "\n");
}

std::string SynopsisRoff(const CommandText& command) {
  std::string out = Bold(command.path);
  if (!command.commands.empty()) return out + " \\fIcommand\\fR ...\n";
  if (!command.options.empty()) out += " [options]";
  for (const OptionText& positional : command.positionals) {
    const std::string name = "\\fI" + Shown(positional.names) + "\\fR";
    const std::string many = positional.is_many ? " ..." : "";
    out += positional.is_required ? " " + name + many : " [" + name + many + "]";
  }
  return out + "\n";
}

// Arguments, options and examples below a heading of its own or a section's.
std::string PartsRoff(const CommandText& command) {
  std::string out;
  for (const OptionText& positional : command.positionals) {
    if (!positional.what.empty()) out += OptionRoff(positional);
  }
  for (const OptionText& option : command.options) out += OptionRoff(option);
  if (!command.examples.empty()) out += ".PP\nExample:\n";
  for (const std::string& example : command.examples) {
    out += ".PP\n.RS\n.nf\n" + Shown(example) + "\n.fi\n.RE\n";
  }
  return out;
}

void AddBelow(const CLI::App& app, std::string& out) {
  for (const CLI::App* one : ShownCommands(app)) {
    const CommandText command = Describe(*one);
    if (command.commands.empty()) {
      out += ".SS " + Shown(command.path) + "\n" + SynopsisRoff(command) + ".PP\n" +
             Sentence(command.what) + PartsRoff(command);
    }
    AddBelow(*one, out);
  }
}

}  // namespace

std::string ManPageName(const CLI::App& app) {
  return app.get_parent() == nullptr ? "ferry" : "ferry-" + app.get_name();
}

std::string ManPage(const CLI::App& app) {
  const CommandText command = Describe(app);
  const std::string name = ManPageName(app);
  std::string upper = name;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  std::string out = fmt::format(".TH {} 1 \"\" \"ferry {}\" \"Ferry\"\n.SH NAME\n{} \\- {}\n",
                                Shown(upper), kVersion, Shown(name), Shown(command.what));
  out += ".SH SYNOPSIS\n" + SynopsisRoff(command) + ".SH DESCRIPTION\n" + Sentence(command.what);
  if (command.commands.empty()) {
    out += ".SH OPTIONS\n" + PartsRoff(command);
  } else if (app.get_parent() == nullptr) {
    out += ".SH COMMANDS\n";
    for (const CLI::App* one : command.commands) {
      out += ".TP\n" + Bold(one->get_name()) + "\n" + Shown(one->get_description()) + "; see " +
             Bold(ManPageName(*one)) + "(1)\n";
    }
    out += ".SH OPTIONS\n" + PartsRoff(command);
  } else {
    out += ".SH COMMANDS\n";
    AddBelow(app, out);
  }
  return out + kExitStatus + kEnvironment;
}

}  // namespace ferry::cli
