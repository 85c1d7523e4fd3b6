#include <algorithm>

#include "device-runtime/quant/measure/measure.h"

namespace ferry::quant {
namespace {

// The next finer form of a unit.
Form Finer(const Unit& unit, Form form) {
  if (form == Form::kWeight8 || unit.weight < 0) return Form::kFloat;
  return form == Form::kFloat ? Form::kFloat : Form::kWeight8;
}

// `forms` with the first `count` units of `order` one step finer.
std::vector<Form> WithFiner(const Prepared& p, std::vector<Form> forms,
                            const std::vector<size_t>& order, size_t count) {
  for (size_t i = 0; i < count; ++i) forms[order[i]] = Finer(p.units[order[i]], forms[order[i]]);
  return forms;
}

// Units that are not float, the most harmful first.
std::vector<size_t> ByHarm(const std::vector<Form>& forms, const std::vector<double>& alone) {
  std::vector<size_t> order;
  for (size_t u = 0; u < forms.size(); ++u) {
    if (forms[u] != Form::kFloat) order.push_back(u);
  }
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return alone[a] > alone[b]; });
  return order;
}

// Puts units back to what they were, the least harmful first, as long as the bound holds.
Result<std::vector<Form>> GiveBack(Builder& builder, Measure& measure, std::vector<Form> finer,
                                   const std::vector<Form>& coarse,
                                   const std::vector<size_t>& order, size_t count) {
  for (size_t i = count; i-- > 0;) {
    std::vector<Form> tried = finer;
    tried[order[i]] = coarse[order[i]];
    builder.options().Say("giving back", count - i, count);
    FERRY_ASSIGN_OR_RETURN(const double error, measure.OutputError(tried));
    if (error <= builder.options().max_error) finer = std::move(tried);
  }
  return finer;
}

}  // namespace

Result<std::vector<double>> AloneErrors(Builder& builder, Measure& measure,
                                        const std::vector<Form>& forms) {
  std::vector<double> alone(forms.size(), -1.0);
  for (size_t u = 0; u < forms.size(); ++u) {
    if (forms[u] == Form::kFloat) continue;
    std::vector<Form> one(forms.size(), Form::kFloat);
    one[u] = forms[u];
    builder.options().Say("trying layers alone", u, forms.size());
    FERRY_ASSIGN_OR_RETURN(alone[u], measure.OutputError(one));
  }
  return alone;
}

Result<std::vector<Form>> HoldBound(Builder& builder, Measure& measure, std::vector<Form> forms,
                                    std::vector<double>& alone) {
  const double bound = builder.options().max_error;
  const Prepared& p = builder.prepared();
  FERRY_ASSIGN_OR_RETURN(double error, measure.OutputError(forms));
  while (!(error <= bound)) {
    FERRY_ASSIGN_OR_RETURN(const auto errors, AloneErrors(builder, measure, forms));
    for (size_t u = 0; u < errors.size(); ++u) alone[u] = std::max(alone[u], errors[u]);
    const std::vector<size_t> order = ByHarm(forms, errors);
    if (order.empty()) {
      return Status::Of(Code::kFailedPrecondition,
                        "an error of {:.3g} is left with all layers in float, {:.3g} is wanted",
                        error, bound);
    }
    const std::vector<Form> all = WithFiner(p, forms, order, order.size());
    FERRY_ASSIGN_OR_RETURN(error, measure.OutputError(all));
    if (!(error <= bound)) {
      forms = all;
      continue;
    }
    // The fewest of the most harmful ones.
    size_t low = 0, high = order.size();  // high holds the bound, low does not
    while (high - low > 1) {
      const size_t middle = (low + high) / 2;
      builder.options().Say("holding the bound", order.size() - (high - low), order.size());
      FERRY_ASSIGN_OR_RETURN(error, measure.OutputError(WithFiner(p, forms, order, middle)));
      (error <= bound ? high : low) = middle;
    }
    return GiveBack(builder, measure, WithFiner(p, forms, order, high), forms, order, high);
  }
  return forms;
}

}  // namespace ferry::quant
