// TfIdfVectorizer (ONNX): how often the n-grams of a pool occur in each row, with words skipped
// between their items, as counts (TF), as weights of what occurs (IDF) or weighted counts (TFIDF).
#include <algorithm>
#include <map>

#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

using Gram = std::vector<int64_t>;

// The pool; its texts are numbered, so that an n-gram is always a list of numbers.
struct Pool {
  std::map<std::string, int64_t, std::less<>> numbers;  // of texts
  std::map<Gram, int64_t> grams;                        // to the n-gram's place in the pool
  std::vector<int64_t> columns;                         // of the output, by that place
  std::vector<float> weights;                           // the same; empty: all 1
  int64_t width = 0;
  int64_t min_length = 1, max_length = 1, max_skip = 0;
  std::string mode;
};

// The pool's items as numbers.
Result<std::vector<int64_t>> ItemsOf(const NodeContext& c, Pool& pool) {
  FERRY_ASSIGN_OR_RETURN(IntList numbers, c.Ints("pool_int64s"));
  if (numbers && !numbers->empty()) return *numbers;
  FERRY_ASSIGN_OR_RETURN(auto texts, c.Texts("pool_strings"));
  std::vector<int64_t> items;
  for (const std::string& text : texts) {
    const auto next = static_cast<int64_t>(pool.numbers.size());
    items.push_back(pool.numbers.try_emplace(text, next).first->second);
  }
  return items;
}

// Cuts the items into n-grams: counts[n - 1] is where those of n items begin.
Status CutGrams(Pool& pool, const std::vector<int64_t>& items, const std::vector<int64_t>& counts) {
  const auto total = static_cast<int64_t>(items.size());
  size_t id = 0;
  for (size_t n = 1; n <= counts.size(); ++n) {
    const int64_t begin = counts[n - 1];
    const int64_t end = n < counts.size() ? counts[n] : total;
    const auto length = static_cast<int64_t>(n);
    if (begin < 0 || begin > end || end > total || (end - begin) % length != 0) {
      return Status::Of(Code::kBadModel, "{}-grams from {} to {} of {} items", n, begin, end,
                        total);
    }
    for (int64_t at = begin; at < end; at += length, ++id) {
      if (id >= pool.columns.size()) return Status(Code::kBadModel, "too few ngram_indexes");
      if (length < pool.min_length || length > pool.max_length) continue;
      pool.grams[Gram(items.begin() + at, items.begin() + at + length)] = static_cast<int64_t>(id);
    }
  }
  return OkStatus();
}

Result<Pool> PoolOf(const NodeContext& c) {
  Pool pool;
  FERRY_ASSIGN_OR_RETURN(pool.min_length, c.Int("min_gram_length", 1));
  FERRY_ASSIGN_OR_RETURN(pool.max_length, c.Int("max_gram_length", 1));
  FERRY_ASSIGN_OR_RETURN(pool.max_skip, c.Int("max_skip_count", 0));
  FERRY_ASSIGN_OR_RETURN(pool.mode, c.Text("mode", "TF"));
  FERRY_ASSIGN_OR_RETURN(pool.weights, c.Floats("weights"));
  FERRY_ASSIGN_OR_RETURN(IntList columns, c.Ints("ngram_indexes"));
  FERRY_ASSIGN_OR_RETURN(IntList counts, c.Ints("ngram_counts"));
  pool.columns = *columns;
  if (pool.min_length < 1 || pool.max_length < pool.min_length || pool.max_skip < 0 ||
      pool.max_skip > kMaxAttribute || pool.columns.empty() ||
      (!pool.weights.empty() && pool.weights.size() != pool.columns.size()) ||
      (pool.mode != "TF" && pool.mode != "IDF" && pool.mode != "TFIDF")) {
    return Status(Code::kBadModel, "the attributes do not fit each other");
  }
  for (int64_t column : pool.columns) {
    if (column < 0 || column > kMaxAttribute) {
      return Status::Of(Code::kBadModel, "ngram_indexes hold {}", column);
    }
    pool.width = std::max(pool.width, column + 1);
  }
  FERRY_ASSIGN_OR_RETURN(auto items, ItemsOf(c, pool));
  FERRY_TRY(CutGrams(pool, items, *counts));
  return pool;
}

Status InferTfIdfVectorizer(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(Pool pool, PoolOf(c));
  const Shape& x = c.InputShape(0);
  const DType dtype = c.Input(0).dtype;
  const bool is_text = dtype == DType::kString;
  if (x.rank() > 2 || (!is_text && dtype != DType::kI32 && dtype != DType::kI64) ||
      (!pool.grams.empty() && is_text == pool.numbers.empty())) {
    return Status::Of(Code::kShapeMismatch, "{} {} does not fit the pool", tensor::DTypeName(dtype),
                      x.ToString());
  }
  std::vector<int64_t> dims;
  if (x.rank() == 2) dims.push_back(x[0]);
  dims.push_back(pool.width);
  FERRY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  c.SetOutput(0, DType::kF32, shape);
  return OkStatus();
}

// Counts the n-grams of one row; -1 stands for a text that is not in the pool.
void CountRow(const Pool& pool, std::span<const int64_t> row, std::vector<int64_t>& counts) {
  const auto size = static_cast<int64_t>(row.size());
  int64_t longest = 0;
  for (const auto& [gram, id] : pool.grams) {
    longest = std::max(longest, static_cast<int64_t>(gram.size()));
  }
  Gram gram;
  for (int64_t n = pool.min_length; n <= longest; ++n) {
    for (int64_t step = 1; step <= pool.max_skip + 1 && step * (n - 1) < size; ++step) {
      for (int64_t begin = 0; begin + step * (n - 1) < size; ++begin) {
        gram.clear();
        for (int64_t i = 0; i < n; ++i) gram.push_back(row[static_cast<size_t>(begin + i * step)]);
        const auto found = pool.grams.find(gram);
        if (found != pool.grams.end()) ++counts[static_cast<size_t>(found->second)];
      }
      if (n == 1) break;  // nothing to skip
    }
  }
}

Status ReferenceTfIdfVectorizer(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(Pool pool, PoolOf(c));
  const Tensor& x = c.In(0);
  Tensor& out = c.Out(0);
  const int64_t rows = x.shape().rank() == 2 ? x.shape()[0] : 1;
  const int64_t width = x.shape().rank() == 2 ? x.shape()[1] : x.elements();
  for (int64_t i = 0; i < out.elements(); ++i) out.SetNumber(i, 0);
  std::vector<int64_t> items(static_cast<size_t>(width));
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < width; ++i) {
      int64_t& item = items[static_cast<size_t>(i)];
      if (x.dtype() != DType::kString) {
        item = x.Integer(row * width + i);
        continue;
      }
      const auto found = pool.numbers.find(x.Text(row * width + i));
      item = found == pool.numbers.end() ? -1 : found->second;
    }
    std::vector<int64_t> counts(pool.columns.size());
    CountRow(pool, items, counts);
    for (size_t id = 0; id < counts.size(); ++id) {
      if (counts[id] == 0) continue;
      const double weight = pool.weights.empty() ? 1 : pool.weights[id];
      const auto count = static_cast<double>(counts[id]);
      out.SetNumber(row * pool.width + pool.columns[id], pool.mode == "TF"    ? count
                                                         : pool.mode == "IDF" ? weight
                                                                              : weight * count);
    }
  }
  return OkStatus();
}

}  // namespace

extern const Op kTfIdfVectorizerOp;
const Op kTfIdfVectorizerOp = {.name = "TfIdfVectorizer",
                               .min_inputs = 1,
                               .max_inputs = 1,
                               .min_outputs = 1,
                               .max_outputs = 1,
                               .infer = InferTfIdfVectorizer,
                               .reference = ReferenceTfIdfVectorizer};

}  // namespace ferry::ops
