// An app with Ferry inside. Local-only:   ferry-embed digits.fpk < events.jsonl
//                           connected:    ferry-embed --join TOKEN --state DIR < events.jsonl
// Each line of input is one event, {"id":"image","page":"scan","data":{..}}; each result is a line.
#include <iostream>
#include <string>
#include <vector>

#include "device-runtime/api/ferry.hpp"

int main(int argc, char** argv) {
  using ferry::api::Runtime;
  const std::vector<std::string> args(argv + 1, argv + argc);
  const auto option = [&args](const std::string& name) {
    for (size_t k = 0; k + 1 < args.size(); ++k)
      if (args[k] == name) return args[k + 1];
    return std::string();
  };
  const auto fail = [](const std::string& what) {
    std::cerr << "ferry-embed: " << what << '\n';
    return 1;
  };

  Runtime ferry([](std::string_view json) { std::cout << json << std::endl; });
  if (!ferry.ok()) return fail(Runtime::error());
  if (const std::string state = option("--state"); !state.empty()) {
    const std::string profile = R"({"os":"linux","app_version":"1.0.0","device_class":"high"})";
    if (!ferry.StartAgent({state, option("--join"), profile})) return fail(Runtime::error());
  } else if (args.size() == 1) {
    if (!ferry.OpenTask(args[0])) return fail(Runtime::error());
  } else {
    return fail("usage: ferry-embed PACKAGE.fpk | ferry-embed --state DIR [--join TOKEN]");
  }

  for (std::string line; std::getline(std::cin, line);)
    if (!ferry.Send(line)) std::cerr << "ferry-embed: " << Runtime::error() << '\n';
  if (!ferry.Flush()) return fail(Runtime::error());
  std::cerr << ferry.StatusJson() << '\n';
}
