// Numbers as text: what Cast makes of them, and what it reads.
#pragma once

#include <string>
#include <string_view>

#include "device-runtime/tensor/tensor.h"

namespace ferry::ops {

// Element `index` of a tensor of numbers: the fewest digits that give it back, always with a point
// ("1.0"), with an exponent from 1e16 on and below 1e-4 ("1e+16", "2.5e-05"), "nan", "inf", "-inf";
// bool as "True" and "False".
std::string TextOfNumber(const tensor::Tensor& tensor, int64_t index);

// Stores what `text` says ("-12", "1e5", "+INF", "NaN", "true"), as a cast from the number would.
// kInvalidArgument when it is no number.
Status StoreText(std::string_view text, tensor::Tensor& to, int64_t index);

}  // namespace ferry::ops
