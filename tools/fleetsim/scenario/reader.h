// Reads one object of a scenario: every error names line and column. For scenario/ only.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/json.h"

namespace ferry::fleetsim {

// The document and where in it a reader stands.
struct ScenarioText {
  std::string_view text;
  std::vector<std::string> path;

  ScenarioText Below(const std::string& piece) const;
  // kInvalidArgument: "line 3, column 12: share: 1.2 is above 1".
  Status Wrong(const std::string& what, bool key = false) const;
};

// The first error counts; what comes after it is left as it is.
class ObjectReader {
 public:
  ObjectReader(const Json& object, ScenarioText at);

  void Number(const char* name, double least, double most, double* out);
  void Whole(const char* name, int64_t least, int64_t most, int64_t* out);
  void Text(const char* name, std::string* out);
  void Flag(const char* name, bool* out);
  void Texts(const char* name, std::vector<std::string>* out);
  // One of `names`; *out becomes its number.
  void Choice(const char* name, const std::vector<std::string>& names, size_t* out);
  // Taken as it is: whoever uses it checks it. Null where it is missing.
  const Json* Value(const char* name);
  // Calls `each` with every element of an array of objects.
  template <typename Each>
  void Objects(const char* name, const Each& each) {
    const Json* array = Value(name);
    if (array == nullptr || !status_.ok()) return;
    if (!array->is_array()) return Fail(name, "wanted an array");
    for (size_t i = 0; i < array->size() && status_.ok(); ++i)
      status_ = each((*array)[i], at_.Below(name).Below(std::to_string(i)));
  }
  void Fail(const char* name, const std::string& what);
  // Members that nobody asked for are errors.
  Status Finish();

 private:
  const Json& object_;
  ScenarioText at_;
  std::set<std::string> known_;
  Status status_;
};

}  // namespace ferry::fleetsim
