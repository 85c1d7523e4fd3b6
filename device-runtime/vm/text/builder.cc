#include "device-runtime/vm/text/builder.h"

#include <algorithm>

namespace ferry::vm {

bool TextBuilder::Grow(size_t more) {
  if (more > kMaxStringBytes - size_) {
    vm_.TooLarge();
    return false;
  }
  const size_t capacity = std::max(size_ + more, capacity_ + capacity_ / 2);
  auto* data = static_cast<char*>(vm_.heap.NewBuffer(capacity));
  if (data == nullptr) {
    vm_.OutOfMemory();
    return false;
  }
  std::memcpy(data, data_, size_);
  if (data_ != inline_) vm_.heap.FreeBuffer(data_, capacity_);
  data_ = data;
  capacity_ = capacity;
  return true;
}

bool TextBuilder::AppendCode(uint32_t c) {
  char bytes[4];
  return Append(std::string_view(bytes, PutCode(c, bytes)));
}

bool TextBuilder::Fill(std::string_view text, size_t times) {
  if (times == 0 || text.empty()) return true;
  if (times > kMaxStringBytes / text.size()) {
    vm_.TooLarge();
    return false;
  }
  const size_t steps = text.size() * times / 64;
  char* at = Space(text.size() * times);
  if (at == nullptr) return false;
  if (text.size() == 1) {
    std::memset(at, text[0], times);
    times = 0;
  }
  for (size_t i = 0; i < times; ++i, at += text.size()) std::memcpy(at, text.data(), text.size());
  return vm_.ChargeSteps(static_cast<int64_t>(steps));
}

Value NewText(Vm& vm, size_t size, size_t length, char** data) {
  String* string = vm.NewStringObject(size);
  if (string == nullptr) return Value();
  string->length = static_cast<uint32_t>(length);
  *data = string->data;
  return Value::Of(string);
}

Value PlainString(Vm& vm, Value v) {
  return IsExact(v, Type::kString) ? v : vm.NewString(Text(v));
}

}  // namespace ferry::vm
