// Operators, subscripts and attributes on values. Source: Python.
#pragma once

#include "device-runtime/llm/template/values/value.h"

namespace ferry::llm::jinja {

// + - * / // % ** ~
Result<Value> Binary(std::string_view op, const Value& left, const Value& right, Budget& budget);
// a.name; undefined when there is none.
Result<Value> Attribute(const Value& value, std::string_view name, Budget& budget);
// a[key]; undefined when there is none.
Result<Value> Item(const Value& value, const Value& key, Budget& budget);
// A path as filters take it: "function.name", "0".
Result<Value> AttributePath(const Value& value, std::string_view path, Budget& budget);
// a[start:stop:step]; undefined bounds are left out.
Result<Value> Slice(const Value& value, const Value& start, const Value& stop, const Value& step,
                    Budget& budget);

}  // namespace ferry::llm::jinja
