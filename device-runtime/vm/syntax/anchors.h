// Where the operator of an expression stands, for the carets of tracebacks.
#pragma once

#include <cstddef>
#include <string_view>

namespace ferry::vm {

// Bytes [*left, *right) of `expression` that its outermost operator or index takes; false: it is
// another kind of expression.
bool FindAnchors(std::string_view expression, size_t* left, size_t* right);

}  // namespace ferry::vm
