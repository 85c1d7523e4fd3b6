#include "tools/ferry/split/checks.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <limits>
#include <string>

namespace ferry::cli {
namespace {

template <typename T>
bool Parse(const std::string& text, T* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

CLI::Validator NumberWithin(double low, double high) {
  const std::string range = fmt::format("{} to {}", low, high);
  return {[=](std::string& text) {
            double value = 0;
            const bool within = Parse(text, &value) && value >= low && value <= high;
            return within ? std::string() : fmt::format("{} is no number from {}", text, range);
          },
          fmt::format("in [{} - {}]", low, high)};
}

CLI::Validator WholeNumber() {
  return {[](std::string& text) {
            uint64_t value = 0;
            return Parse(text, &value) ? std::string()
                                       : fmt::format("{} is no whole number from 0 to {}", text,
                                                     std::numeric_limits<uint64_t>::max());
          },
          ""};
}

}  // namespace ferry::cli
