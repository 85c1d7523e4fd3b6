#include "device-runtime/llm/arch/describe/rope.h"

#include <cmath>

namespace ferry::llm {
namespace {

constexpr const char* kKinds[] = {"full_attention", "sliding_attention"};

// The length scale of yarn's temperature. Source: Peng et al. 2023, section 3.4.
double LengthScale(double factor, double weight) {
  return factor <= 1 ? 1 : 0.1 * weight * std::log(factor) + 1;
}

// The first member of the name that is a number, in `own` and then in `all`; null: none.
Result<Json> Number(const Json& own, const Json& all, const char* name) {
  for (const Json* holder : {&own, &all}) {
    const auto it = holder->find(name);
    if (it == holder->end() || it->is_null()) continue;
    if (!it->is_number()) {
      return Status::Of(Code::kMalformed, "{} is {:.40}, wanted a number", name, WriteJson(*it));
    }
    return *it;
  }
  return Json(nullptr);
}

double Or(const Json& number, double fallback) {
  return number.is_null() ? fallback : number.get<double>();
}

// One set: `own` has what is said of it alone, `config` the rest.
Result<Json> ReadOne(const Json& own, const Json& config, const Json& theta) {
  const Json none = Json::object();
  const auto of_own = [&](const char* name) { return Number(own, none, name); };
  FERRY_ASSIGN_OR_RETURN(const std::string old_kind, GetStringOr(own, "type", "default"));
  FERRY_ASSIGN_OR_RETURN(std::string kind, GetStringOr(own, "rope_type", old_kind));
  if (kind == "mrope") kind = "default";  // of text alone, its three positions are one
  if (kind == "su") kind = "longrope";
  FERRY_ASSIGN_OR_RETURN(const Json context, Number(config, none, "max_position_embeddings"));
  FERRY_ASSIGN_OR_RETURN(const Json original,
                         Number(own, config, "original_max_position_embeddings"));
  FERRY_ASSIGN_OR_RETURN(const Json said_factor, of_own("factor"));
  FERRY_ASSIGN_OR_RETURN(const Json amplitude, of_own("attention_factor"));
  FERRY_ASSIGN_OR_RETURN(const Json mscale, of_own("mscale"));
  FERRY_ASSIGN_OR_RETURN(const Json mscale_all, of_own("mscale_all_dim"));
  FERRY_ASSIGN_OR_RETURN(const Json part, Number(own, config, "partial_rotary_factor"));
  FERRY_ASSIGN_OR_RETURN(const Json alpha, of_own("alpha"));
  FERRY_ASSIGN_OR_RETURN(const Json low, of_own("low_freq_factor"));
  FERRY_ASSIGN_OR_RETURN(const Json high, of_own("high_freq_factor"));
  FERRY_ASSIGN_OR_RETURN(const Json fast, of_own("beta_fast"));
  FERRY_ASSIGN_OR_RETURN(const Json slow, of_own("beta_slow"));
  FERRY_ASSIGN_OR_RETURN(const bool truncate, GetBoolOr(own, "truncate", true));
  FERRY_ASSIGN_OR_RETURN(const Json own_theta, of_own("rope_theta"));
  const double length = Or(original, Or(context, 0));
  double factor = Or(said_factor, 1);
  double scale = 1;
  double score = 1;
  if (kind == "yarn") {
    const bool both = Or(mscale, 0) != 0 && Or(mscale_all, 0) != 0;
    scale = both ? LengthScale(factor, Or(mscale, 0)) / LengthScale(factor, Or(mscale_all, 0))
                 : LengthScale(factor, 1);
  }
  if (kind == "longrope") {
    if (!original.is_null() && !context.is_null() && length > 0) factor = Or(context, 0) / length;
    if (factor > 1 && length > 1) scale = std::sqrt(1 + std::log(factor) / std::log(length));
  }
  if (kind != "default" && Or(mscale_all, 0) != 0) {
    score = std::pow(LengthScale(factor, Or(mscale_all, 0)), 2);
  }
  Json result = {{"scaling", kind},
                 {"factor", factor},
                 {"original", length},
                 {"low", Or(low, 1)},
                 {"high", Or(high, 4)},
                 {"beta_fast", Or(fast, 32)},
                 {"beta_slow", Or(slow, 1)},
                 {"truncate", truncate},
                 {"amplitude", Or(amplitude, scale)},
                 {"score", score},
                 {"part", part},
                 {"alpha", alpha},
                 {"theta", own_theta.is_null() ? theta : own_theta},
                 {"short", Json::array()},
                 {"long", Json::array()}};
  if (const auto it = own.find("short_factor"); it != own.end()) result["short"] = *it;
  if (const auto it = own.find("long_factor"); it != own.end()) result["long"] = *it;
  return result;
}

}  // namespace

Result<Json> ReadRopes(const Json& config) {
  const Json none = Json::object();
  FERRY_ASSIGN_OR_RETURN(const Json* old, GetObjectOrNull(config, "rope_scaling"));
  FERRY_ASSIGN_OR_RETURN(const Json* now, GetObjectOrNull(config, "rope_parameters"));
  FERRY_ASSIGN_OR_RETURN(const Json theta, Number(config, none, "rope_theta"));
  FERRY_ASSIGN_OR_RETURN(const Json local, Number(config, none, "rope_local_base_freq"));
  const bool of_kinds = now != nullptr && now->contains(kKinds[0]);
  const Json& own = now != nullptr && !of_kinds ? *now : old != nullptr ? *old : none;
  Json result = Json::object();
  FERRY_ASSIGN_OR_RETURN(result["any"], ReadOne(own, config, theta));
  for (const char* kind : kKinds) {
    result[kind] = result["any"];
    if (of_kinds) {
      FERRY_ASSIGN_OR_RETURN(const Json* mine, GetObjectOrNull(*now, kind));
      if (mine != nullptr) {
        FERRY_ASSIGN_OR_RETURN(result[kind], ReadOne(*mine, config, theta).Context("{}", kind));
      }
    }
  }
  // Layers with a window turn by angles of their own, which nothing stretches.
  if (!of_kinds && !local.is_null()) {
    FERRY_ASSIGN_OR_RETURN(result[kKinds[1]], ReadOne(none, config, local));
  }
  return result;
}

}  // namespace ferry::llm
