// Marks go from events through streams, rules and tables until nothing is new.
#include <algorithm>
#include <map>
#include <tuple>

#include "common/base/json.h"
#include "pipeline/privacy/operators.h"
#include "pipeline/privacy/privacy.h"

namespace ferry::privacy {
namespace {

Path PathOf(std::string_view name) {
  Path out;
  for (size_t dot; (dot = name.find('.')) != name.npos; name.remove_prefix(dot + 1))
    out.emplace_back(name.substr(0, dot));
  out.emplace_back(name);
  return out;
}

std::string FieldText(const Path& path) {
  return path.empty() ? "*" : fmt::format("{}", fmt::join(path, "."));
}

// The name that a rule's row has for a field of `per`.
std::string LastName(std::string_view path) {
  return std::string(path.substr(path.rfind('.') + 1));
}

struct StreamUse {
  std::string name, into, to;
  std::vector<std::string> sources;
  Json operators = Json::array();
  bool upload = false;
};

StreamUse StreamOf(const Json& json) {
  StreamUse out;
  out.name = GetStringOr(json, "name", "").value_or("");
  out.into = GetStringOr(json, "into", "").value_or("");
  out.to = GetStringOr(json, "to", "").value_or("");
  const auto source = json.find("source");
  if (source != json.end() && source->is_string()) out.sources.push_back(*source);
  if (source != json.end() && source->is_array())
    out.sources = GetStrings(json, "source").value_or({});
  if (const auto list = json.find("operators"); list != json.end() && list->is_array())
    out.operators = *list;
  const auto upload = json.find("upload");
  out.upload = upload != json.end() && (upload->is_string() || *upload == true);
  return out;
}

class Following {
 public:
  Following(const flow::Definition& definition, std::span<const LocalField> fields)
      : definition_(definition), fields_(fields) {
    for (const LocalField& field : fields) {
      const size_t mark = least_rows_.size();
      least_rows_.push_back(field.least_rows);
      base_.Add(PathOf(field.name), mark);
      base_.Add(Path{field.name}, mark);  // a member whose name has dots in it
    }
    if (definition.streams != nullptr && definition.streams->is_array())
      for (const Json& json : *definition.streams) streams_.push_back(StreamOf(json));
  }

  Report Run() {
    Settle();
    Report report;
    report.scripts_see = ScriptsSee();
    Collect(&report);
    if (!report.scripts_see) return report;
    MarkWhatScriptsGive();
    Settle();
    CollectClosed(&report);
    return report;
  }

 private:
  // ---- what rows are marked with

  const StreamUse* FindStream(std::string_view name) const {
    for (const StreamUse& one : streams_)
      if (one.name == name) return &one;
    return nullptr;
  }
  bool IsRule(std::string_view name) const {
    return std::any_of(definition_.rules.begin(), definition_.rules.end(),
                       [name](const flow::RuleUse& one) { return one.rule.name == name; });
  }
  static Taint At(const std::map<std::string, Taint>& map, const std::string& name) {
    const auto found = map.find(name);
    return found == map.end() ? Taint() : found->second;
  }

  // Rows that come under `source` to `reader`: of a stream or a rule, else of events and scripts.
  Taint Source(const std::string& source, std::string_view reader) const {
    Taint out = At(emitted_, source);
    if (source != reader && FindStream(source) != nullptr)
      out.Add(At(rows_, source));
    else if (IsRule(source))
      out.Add(At(matches_, source));
    else
      out.Add(base_);
    return out;
  }

  // Names of columns tell what is local in tables that others fill.
  Taint Table(const std::string& table) const {
    Taint out = At(written_, table);
    const bool filled = std::any_of(streams_.begin(), streams_.end(),
                                    [&table](const auto& one) { return one.into == table; });
    out.Add(At(tables_, table));
    if (!filled) out.Add(base_);
    return out;
  }

  Taint StreamRow(const StreamUse& stream) const {
    Taint row;
    for (const std::string& source : stream.sources) row.Add(Source(source, stream.name));
    Reach reach{least_rows_, {}, {}};
    reach.sources = [&](const std::string& source) { return Source(source, stream.name); };
    reach.tables = [&](const std::string& table) { return Table(table); };
    for (const Json& spec : stream.operators) row = ThroughOperator(spec, row, reach);
    return row;
  }

  // What an event of a rule's step is marked with.
  Taint Event(const std::string& event) const {
    if (FindStream(event) != nullptr) return At(rows_, event);
    if (event.starts_with(flow::kEveryPrefix)) return {};  // of the clock: it has no fields
    Taint out = base_;
    if (event.empty())  // any event, rows of streams among them
      for (const auto& [name, row] : rows_) out.Add(row);
    return out;
  }

  Taint MatchRow(const rule::Rule& rule) const {
    Taint out;
    for (const rule::Step& step : rule.steps) {
      if (step.negated) continue;
      const Taint event = Event(step.fits.event);
      out.Add(event, {step.name});
      for (const std::string& name : rule.per) out.Add(event.Below(PathOf(name)), {LastName(name)});
    }
    return out;
  }

  // ---- until nothing changes

  void Settle() {
    bool changed = true;
    const auto grow = [&changed](Taint* at, const Taint& row) {
      Taint whole = *at;
      whole.Add(row);
      changed = changed || !(whole == *at);
      *at = std::move(whole);
    };
    while (changed) {
      changed = false;
      for (const flow::RuleUse& use : definition_.rules)
        grow(&matches_[use.rule.name], MatchRow(use.rule));
      for (const StreamUse& stream : streams_) {
        const Taint row = StreamRow(stream);
        grow(&rows_[stream.name], row);
        if (!stream.into.empty()) grow(&tables_[stream.into], row);
      }
    }
  }

  void Collect(Report* report) const {
    for (const StreamUse& stream : streams_) {
      if (!stream.upload) continue;
      const Taint row = At(rows_, stream.name);
      for (const auto& [path, marks] : row.all())
        for (const size_t mark : marks)
          if (mark < fields_.size())
            report->findings.push_back(
                {stream.name, FieldText(path), fields_[mark].name, fields_[mark].least_rows});
    }
    std::sort(report->findings.begin(), report->findings.end(),
              [](const Finding& a, const Finding& b) { return OrderOf(a) < OrderOf(b); });
    report->findings.erase(
        std::unique(report->findings.begin(), report->findings.end(),
                    [](const Finding& a, const Finding& b) { return OrderOf(a) == OrderOf(b); }),
        report->findings.end());
  }
  static std::tuple<std::string_view, std::string_view, std::string_view> OrderOf(
      const Finding& one) {
    return {one.stream, one.field, one.local};
  }

  // ---- scripts, which are not looked into

  // Whether a function of the task gets a local field.
  bool ScriptsSee() const {
    if (fields_.empty()) return false;
    if (definition_.trigger) return true;
    for (const flow::RuleUse& use : definition_.rules)
      if (!use.to.empty() && !At(matches_, use.rule.name).empty()) return true;
    bool any = !definition_.Functions().empty();
    for (const StreamUse& stream : streams_)
      if (!stream.to.empty() && !At(rows_, stream.name).empty()) return true;
    return any && std::any_of(definition_.tables.begin(), definition_.tables.end(),
                              [&](const auto& one) { return !Table(one.name).empty(); });
  }

  size_t NewMark() {
    const auto largest = std::max_element(fields_.begin(), fields_.end(), [](auto& a, auto& b) {
      return a.least_rows < b.least_rows;
    });
    least_rows_.push_back(largest->least_rows);
    return least_rows_.size() - 1;
  }

  // From here on every source and table has rows of scripts, with a mark of its own on all of them.
  void MarkWhatScriptsGive() {
    const auto mark_source = [this](const std::string& source) {
      if (emitted_.contains(source)) return;
      const size_t mark = NewMark();
      emitted_[source].Add(Path{}, mark);
      source_marks_[mark] = source;
    };
    for (const StreamUse& stream : streams_) {
      for (const std::string& source : stream.sources) mark_source(source);
      for (const Json& spec : stream.operators)
        if (std::string with = GetStringOr(spec, "with", "").value_or(""); !with.empty())
          mark_source(with);
    }
    for (const StreamUse& stream : streams_)
      for (const Json& spec : stream.operators) {
        const std::string table = GetStringOr(spec, "table", "").value_or("");
        if (table.empty() || written_.contains(table)) continue;
        const size_t mark = NewMark();
        written_[table].Add(Path{}, mark);
        table_marks_[mark] = table;
      }
  }

  void CollectClosed(Report* report) const {
    for (const StreamUse& stream : streams_) {
      if (!stream.upload) continue;
      const Taint row = At(rows_, stream.name);
      for (const auto& [path, marks] : row.all())
        for (const size_t mark : marks) {
          if (const auto at = source_marks_.find(mark); at != source_marks_.end())
            report->closed_sources.insert(at->second);
          if (const auto at = table_marks_.find(mark); at != table_marks_.end())
            report->closed_tables.insert(at->second);
        }
    }
  }

  const flow::Definition& definition_;
  std::span<const LocalField> fields_;
  std::vector<int64_t> least_rows_;  // by mark: local fields, then sources and tables of scripts
  std::vector<StreamUse> streams_;
  Taint base_;                                      // of events
  std::map<std::string, Taint> rows_;               // that leave a stream
  std::map<std::string, Taint> matches_;            // of a rule, as rows
  std::map<std::string, Taint> tables_;             // what streams put into them
  std::map<std::string, Taint> emitted_, written_;  // by scripts, by source and table
  std::map<size_t, std::string> source_marks_, table_marks_;
};

}  // namespace

Report Follow(const flow::Definition& definition, std::span<const LocalField> fields) {
  if (fields.empty()) return {};
  return Following(definition, fields).Run();
}

}  // namespace ferry::privacy
