// Element-wise operators as functions of maps.
#pragma once

#include <optional>
#include <string_view>

#include "device-runtime/ops/map_builder.h"

namespace ferry::ops {

// The operator `name` of unary.inc on `x` with its parameters; nullopt: no such form on x's type.
std::optional<MapBuilder::Value> UnaryForm(MapBuilder& map, std::string_view name,
                                           MapBuilder::Value x, double alpha, double beta);

// The operator `name` of binary.inc on values of one type; comparisons and logic give 0 or 1 of
// that type. nullopt: no such form.
std::optional<MapBuilder::Value> BinaryForm(MapBuilder& map, std::string_view name,
                                            MapBuilder::Value x, MapBuilder::Value y);

}  // namespace ferry::ops
