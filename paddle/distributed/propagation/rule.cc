// SPDX-License-Identifier: Apache-2.0
#include "paddle/distributed/propagation/rule.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <string_view>

#include "paddle/common/axis_functions.h"
#include "paddle/common/error.h"
#include "paddle/phi/ops/nn/conv_paddings.h"

namespace paddle::distributed {

namespace {

using phi::Ints;

std::vector<std::string> Split(std::string_view s, char at) {
  std::vector<std::string> parts;
  for (;;) {
    const size_t end = s.find(at);
    parts.emplace_back(s.substr(0, end));
    if (end == std::string_view::npos) return parts;
    s.remove_prefix(end + 1);
  }
}

Term ReadTerm(std::string_view s) {
  Term t;
  if (s == "*") {
    t.whole = true;
    return t;
  }
  if (s.substr(0, 3) == "...") {
    t.leading = true;
    s.remove_prefix(3);
  }
  std::string_view last;
  if (const size_t space = s.find(' '); space != std::string_view::npos) {
    last = s.substr(space + 1);
    s = s.substr(0, space);
  }
  const size_t sign = s.find_first_of("!-+<~@%");
  for (char c : s.substr(0, sign)) (c == '?' ? t.optional += t.letters.back() : t.letters += c);
  if (sign != std::string_view::npos) {
    t.sign = s[sign];
    t.attrs = Split(s.substr(sign + 1), t.sign);
  }
  t.letters += last;
  return t;
}

std::vector<Term> ReadTerms(std::string_view s) {
  std::vector<Term> terms;
  for (const std::string& text : Split(s, ',')) terms.push_back(ReadTerm(text));
  return terms;
}

// What follows the terms: `A=axis` says how long a run is, `AB` and `n:reduction=none` what is not divided,
// `v>start_index` of which axis an attribute counts.
void ReadClause(const std::string& s, Rule* rule) {
  if (s.size() > 1 && s[1] == '>') {
    rule->begins = s[0];
    return;
  }
  const size_t colon = s.find(':');
  if (const size_t equal = s.find('='); colon == std::string::npos && equal != std::string::npos) {
    rule->runs.emplace_back(s[0], s.substr(equal + 1));
  } else if (colon == std::string::npos) {
    rule->conditions.push_back({s, {}, {}});
  } else {
    rule->conditions.push_back(
        {s.substr(0, colon), s.substr(colon + 1, equal - colon - 1), Split(s.substr(equal + 1), '|')});
  }
}

bool AllWhole(const std::vector<Term>& terms) {
  return std::all_of(terms.begin(), terms.end(), [](const Term& t) { return t.whole; });
}

Rule Read(std::string_view s) {
  Rule rule;
  if (s.empty()) return rule;
  if (s == "elementwise") s = "...->...";
  if (s == "move extents") {
    rule.kind = Rule::kExtents;
  } else if (s == "move transpose") {
    rule.kind = Rule::kTranspose;
  } else if (s.substr(0, 7) == "reduce ") {
    static const std::map<std::string_view, ReduceOp> kOps{{"sum", ReduceOp::kSum}, {"mean", ReduceOp::kAvg},
                                                           {"max", ReduceOp::kMax}, {"min", ReduceOp::kMin},
                                                           {"any", ReduceOp::kSum}, {"all", ReduceOp::kProd}};
    rule.kind = Rule::kReduce;
    const auto op = kOps.find(s.substr(7));
    rule.partial = op != kOps.end();
    if (rule.partial) rule.op = op->second;
  } else {
    const size_t arrow = s.find("->");
    PD_ASSERT(arrow != std::string_view::npos);
    rule.kind = Rule::kNotation;
    const std::vector<std::string> clauses = Split(s.substr(arrow + 2), ';');
    rule.in = ReadTerms(s.substr(0, arrow));
    rule.out = ReadTerms(clauses[0]);
    for (size_t i = 1; i < clauses.size(); ++i) ReadClause(clauses[i], &rule);
    if (AllWhole(rule.in) && AllWhole(rule.out)) rule.kind = Rule::kReplicate;
  }
  return rule;
}

const Term& TermOf(const std::vector<Term>& terms, int slot) {
  return terms[std::min(static_cast<size_t>(slot), terms.size() - 1)];
}

// Integers of an attribute; `list`: it holds several.
struct Numbers {
  std::vector<int64_t> values;
  bool list = false;
};
const phi::AttrValue& AttrOf(const phi::OpDef& op, const phi::AttrValue* attrs, std::string_view name) {
  for (size_t i = 0; i < op.attrs.size(); ++i)
    if (op.attrs[i]->name == name) return attrs[i];
  PD_THROW(Internal, "[", op.name, "] expected an attribute ", name, " of its rule of placements, got none");
}
// Integers of an attribute. `2`: itself; `paddings/2`: the axes of whose pairs of entries one is not zero.
Numbers NumbersOf(const phi::OpDef& op, const phi::AttrValue* attrs, const std::string& name) {
  if (const size_t end = name.find("/2"); end != std::string::npos) {
    const Numbers pairs = NumbersOf(op, attrs, name.substr(0, end));
    Numbers axes{{}, true};
    for (size_t k = 0; k < pairs.values.size(); ++k)
      if (pairs.values[k]) axes.values.push_back(static_cast<int64_t>(k / 2));
    return axes;
  }
  if (!name.empty() && name[0] >= '0' && name[0] <= '9') return {{std::stoll(name)}, false};
  const phi::AttrValue& v = AttrOf(op, attrs, name);
  if (std::holds_alternative<phi::IntArray>(v) || std::holds_alternative<std::vector<int32_t>>(v) ||
      std::holds_alternative<std::vector<int64_t>>(v)) {
    const auto list = phi::AttrAs<phi::IntArray>(v, op.name, name.c_str());
    const Ints& known = phi::Known(op.name, name.c_str(), list);
    return {{known.begin(), known.end()}, true};
  }
  return {{phi::AttrAs<int64_t>(v, op.name, name.c_str())}, false};
}

// As conditions of rules write it.
std::string TextOf(const phi::AttrValue& v) {
  if (const auto* b = std::get_if<bool>(&v)) return *b ? "true" : "false";
  if (const auto* s = std::get_if<std::string>(&v)) return *s;
  if (const auto* n = std::get_if<int32_t>(&v)) return std::to_string(*n);
  if (const auto* n = std::get_if<int64_t>(&v)) return std::to_string(*n);
  if (const auto* list = std::get_if<std::vector<int64_t>>(&v)) {
    std::string text;
    for (int64_t n : *list) text += (text.empty() ? "" : " ") + std::to_string(n);
    return text;
  }
  PD_THROW(Internal, "expected an attribute of numbers or text in a condition of a rule of placements");
}

int64_t Wrapped(int64_t axis, int64_t rank) { return axis < 0 ? axis + rank : axis; }

bool ChannelsLast(const phi::OpDef& op, const phi::AttrValue* attrs) {
  return common::ChannelsLast(phi::AttrAs<std::string>(AttrOf(op, attrs, "data_format"), op.name, "data_format"));
}
int FirstSpatial(const phi::OpDef& op, const phi::AttrValue* attrs) { return ChannelsLast(op, attrs) ? 1 : 2; }

class Builder {
 public:
  Builder(const phi::OpDef& op, const phi::AttrValue* attrs, const std::vector<Ints>& in, const std::vector<Ints>& out)
      : op_(op), attrs_(attrs), in_(in), out_(out) {
    for (const Ints& d : in) axes_.in.emplace_back(d.size(), kWholeAxis);
    for (const Ints& d : out) axes_.out.emplace_back(d.size(), kWholeAxis);
    axes_.alike.resize(out.size());
  }

  void Notation(const Rule& rule, const std::vector<int>& slot, const std::vector<int>& out_slot) {
    std::string missing;
    int64_t leading = 0;
    for (size_t i = 0; i < in_.size(); ++i) {
      const Term& t = TermOf(rule.in, slot[i]);
      for (char c : t.optional)
        if (in_[i].size() < static_cast<int64_t>(t.letters.size())) missing += c;
    }
    const auto letters_of = [&](const Term& t) {
      std::string s;
      for (char c : t.letters)
        if (missing.find(c) == std::string::npos) s += c;
      return s;
    };
    BindRuns(rule, slot);
    for (size_t i = 0; i < in_.size(); ++i) {
      const Term& t = TermOf(rule.in, slot[i]);
      if (t.whole) continue;
      const int64_t rank = in_[i].size();
      std::string letters = letters_of(t);
      if (t.sign == '~' && letters.size() >= 2 && NumbersOf(op_, attrs_, t.attrs[0]).values[0])
        std::swap(letters[letters.size() - 1], letters[letters.size() - 2]);
      const std::vector<int> named = Named(letters);
      const int64_t before = t.leading ? rank - static_cast<int64_t>(named.size()) : 0;
      if (before < 0 || static_cast<int64_t>(named.size()) > rank) {
        fits_ = false;
        continue;
      }
      leading = std::max(leading, before);
      std::vector<int>& axes = axes_.in[i];
      for (int64_t k = 0; k < before; ++k) axes[k] = Leading(before - 1 - k);
      std::copy(named.begin(), named.end(), axes.begin() + before);
      if (t.sign == '@' || t.sign == '%') ByFormat(t, &axes);
      if (t.sign == '!') {
        const Numbers n = AxesNamed(t);
        if (n.values.empty() || Flattens()) axes.assign(axes.size(), kWholeAxis);
        for (int64_t v : n.values) Drop(axes, Wrapped(v, rank));
      }
      if (t.sign == '<')
        for (int64_t k = Before(t, rank); k < rank; ++k) Drop(axes, k);
    }
    for (size_t i = 0; i < out_.size(); ++i) {
      const Term& t = TermOf(rule.out, out_slot[i]);
      axes_.alike[i] = t.whole;
      if (t.whole) continue;
      std::vector<int> axes;
      const int64_t keep = t.leading ? std::min<int64_t>(leading, t.sign ? leading : out_[i].size()) : 0;
      for (int64_t k = keep; k-- > 0;) axes.push_back(Leading(k));
      if (t.sign == '<')
        axes.resize(static_cast<size_t>(std::max<int64_t>(0, Before(t, static_cast<int64_t>(axes.size())))));
      else if (t.sign == '-' || t.sign == '+' || t.sign == '!')
        Change(t, &axes);
      const std::vector<int> named = Named(letters_of(t));
      const int64_t more = out_[i].size() - static_cast<int64_t>(axes.size() + named.size());
      if (t.leading && !t.sign && more > 0) axes.insert(axes.begin(), static_cast<size_t>(more), kWholeAxis);
      axes.insert(axes.end(), named.begin(), named.end());
      axes.resize(static_cast<size_t>(out_[i].size()), kWholeAxis);
      if (t.sign == '@' || t.sign == '%') ByFormat(t, &axes);
      axes_.out[i] = std::move(axes);
    }
    for (const Condition& c : rule.conditions)
      if (!Holds(c)) Keep(c.letters);
    if (rule.begins != 0) {
      axes_.begins = Letter(rule.begins);
      axes_.factors[static_cast<size_t>(axes_.begins)].one_run = true;
    }
  }

  void Reduce(const Rule& rule, bool history) {
    const int64_t rank = in_[0].size();
    std::vector<bool> reduced(static_cast<size_t>(rank), true);
    for (const phi::ArgDef* a : op_.attrs) {
      if (a->name != std::string_view("axis")) continue;
      const Numbers n = NumbersOf(op_, attrs_, "axis");
      if (!n.values.empty()) reduced.assign(reduced.size(), false);
      for (int64_t v : n.values)
        if (const int64_t k = Wrapped(v, rank); k >= 0 && k < rank) reduced[static_cast<size_t>(k)] = true;
    }
    if (Flattens()) reduced.assign(reduced.size(), true);
    // Which element is the largest is known to one process alone: gradients want it whole.
    const bool partial = rule.partial && !(history && (rule.op == ReduceOp::kMax || rule.op == ReduceOp::kMin));
    for (int64_t k = 0; k < rank; ++k) {
      const bool gone = reduced[static_cast<size_t>(k)];
      if (!gone || partial) axes_.in[0][static_cast<size_t>(k)] = Leading(rank - 1 - k);
      if (gone && partial && rule.op == ReduceOp::kAvg)
        axes_.factors[static_cast<size_t>(Leading(rank - 1 - k))].evenly.push_back(in_[0][k]);
    }
    for (size_t o = 0; o < out_.size(); ++o) {
      const bool keeps = out_[o].size() == rank;
      int64_t at = 0;
      for (int64_t k = 0; k < rank; ++k) {
        const bool gone = reduced[static_cast<size_t>(k)];
        if (!gone && at < out_[o].size()) axes_.out[o][static_cast<size_t>(at)] = Leading(rank - 1 - k);
        at += !gone || keeps;
      }
    }
    axes_.op = rule.op;
  }

  void Transpose() {
    const Numbers perm = NumbersOf(op_, attrs_, "perm");
    const int64_t rank = in_[0].size();
    for (int64_t k = 0; k < rank; ++k) axes_.in[0][static_cast<size_t>(k)] = Leading(rank - 1 - k);
    for (int64_t k = 0; k < out_[0].size() && k < static_cast<int64_t>(perm.values.size()); ++k)
      axes_.out[0][static_cast<size_t>(k)] = axes_.in[0][static_cast<size_t>(Wrapped(perm.values[k], rank))];
  }

  // Axes in groups of equal extent: of each the first can be divided.
  void Extents() {
    const Ints &d = in_[0], &e = out_[0];
    int64_t i = 0, j = 0;
    const auto next = [](const Ints& v, int64_t& k) {
      while (k < v.size() && v[k] == 1) ++k;
      return k < v.size();
    };
    while (next(d, i) && next(e, j)) {
      const int64_t first = i, other = j;
      int64_t a = d[i++], b = e[j++];
      while (a != b) {
        if (a == 0 || b == 0) return;
        if (a < b) {
          if (i == d.size()) return;
          a *= d[i++];
        } else {
          if (j == e.size()) return;
          b *= e[j++];
        }
      }
      const int f = Leading(first);
      axes_.in[0][static_cast<size_t>(first)] = axes_.out[0][static_cast<size_t>(other)] = f;
      if (d[first] != e[other]) axes_.factors[static_cast<size_t>(f)].evenly = {d[first], e[other]};
      axes_.factors[static_cast<size_t>(f)].extent = d[first];
    }
  }

  // Axes of extent 1 beside longer ones are not divided; nor are factors whose extents differ, in results too.
  Axes Take(bool extents_agree) {
    std::vector<Factor>& factors = axes_.factors;
    if (extents_agree) {
      Visit(axes_.in, in_, [&](int& f, int64_t e) {
        Factor& factor = factors[static_cast<size_t>(f)];
        if (e != 1) factor.divides = factor.divides && (factor.extent == 1 || factor.extent == e);
        factor.extent = e != 1 ? e : factor.extent;
      });
      Visit(axes_.in, in_, [&](int& f, int64_t e) {
        const Factor& factor = factors[static_cast<size_t>(f)];
        if (e != factor.extent && !factor.windows) f = kWholeAxis;
      });
      Visit(axes_.out, out_, [&](int& f, int64_t e) {
        Factor& factor = factors[static_cast<size_t>(f)];
        factor.divides = factor.divides && (e == factor.extent || factor.windows);
      });
    }
    for (size_t f = 0; f < factors.size(); ++f) {
      factors[f].divides = factors[f].divides && fits_;
      for (size_t i = 0; i < axes_.out.size(); ++i) {
        const auto& list = axes_.out[i];
        factors[f].contracts =
            factors[f].contracts ||
            (!axes_.alike[i] && std::find(list.begin(), list.end(), static_cast<int>(f)) == list.end());
      }
    }
    return std::move(axes_);
  }

 private:
  template <class F>
  static void Visit(std::vector<std::vector<int>>& axes, const std::vector<Ints>& dims, F f) {
    for (size_t i = 0; i < axes.size(); ++i)
      for (size_t k = 0; k < axes[i].size(); ++k)
        if (axes[i][k] >= 0) f(axes[i][k], dims[i][static_cast<int64_t>(k)]);
  }
  int Numbered(int key) {
    const auto [at, made] = numbers_.try_emplace(key, static_cast<int>(axes_.factors.size()));
    if (made) axes_.factors.emplace_back();
    return at->second;
  }
  // The extents of operands of the argument `name`; none where it is not given.
  std::vector<const Ints*> Given(std::string_view name, const std::vector<int>& slot) const {
    std::vector<const Ints*> found;
    for (size_t i = 0; i < in_.size(); ++i)
      if (name == op_.tensors[static_cast<size_t>(slot[i])]->name) found.push_back(&in_[i]);
    return found;
  }
  // How long a run is: as an attribute says, `index[-1]` of an operand, or as many axes as `len(indices)` index at
  // most.
  int64_t Length(const std::string& text, const std::vector<int>& slot) const {
    if (text.substr(0, 4) == "len(") {
      int64_t n = 0;
      for (const Ints* d : Given(text.substr(4, text.size() - 5), slot)) n += std::max<int64_t>(1, d->size());
      return n;
    }
    if (const size_t end = text.find("[-1]"); end != std::string::npos) {
      const auto given = Given(text.substr(0, end), slot);
      return given.empty() || given[0]->size() == 0 ? -1 : (*given[0])[given[0]->size() - 1];
    }
    const Numbers n = NumbersOf(op_, attrs_, text);
    return n.list ? static_cast<int64_t>(n.values.size()) : Wrapped(n.values[0], in_[0].size());
  }
  // Of a term with one run whose length is not known the rank tells it.
  void BindRuns(const Rule& rule, const std::vector<int>& slot) {
    for (const auto& [run, text] : rule.runs) runs_[run] = Length(text, slot);
    for (size_t i = 0; i < in_.size(); ++i) {
      const Term& t = TermOf(rule.in, slot[i]);
      int64_t others = 0;
      char unknown = 0;
      for (char c : t.letters) {
        const bool run = c >= 'A' && c <= 'Z';
        if (run && runs_.find(c) == runs_.end())
          unknown = c;
        else
          others += run ? runs_[c] : 1;
      }
      if (unknown != 0) runs_[unknown] = in_[i].size() - others;
    }
    for (const auto& [run, n] : runs_) fits_ = fits_ && n >= 0;
  }
  // The axes of letters.
  std::vector<int> Named(const std::string& letters) {
    std::vector<int> axes;
    for (char c : letters) {
      if (c < 'A' || c > 'Z')
        axes.push_back(Letter(c));
      else
        for (int64_t k = 0; k < runs_[c]; ++k) axes.push_back(Numbered(RunKey(c) + static_cast<int>(k)));
    }
    return axes;
  }
  static int RunKey(char c) { return 10000 + 1000 * (c - 'A'); }
  Numbers AxesNamed(const Term& t) const {
    Numbers all;
    for (const std::string& name : t.attrs)
      for (int64_t v : NumbersOf(op_, attrs_, name).values) all.values.push_back(v);
    return all;
  }
  // Axes of a result, which has fewer or more than the operand, or does not divide some.
  void Change(const Term& t, std::vector<int>* axes) const {
    std::vector<int64_t> values = AxesNamed(t).values;
    const auto more = t.sign == '+' ? static_cast<int64_t>(values.size()) : 0;
    for (int64_t& v : values) v = Wrapped(v, static_cast<int64_t>(axes->size()) + more);
    std::sort(values.begin(), values.end());
    if (t.sign != '+') std::reverse(values.begin(), values.end());
    for (int64_t v : values) {
      const auto n = static_cast<int64_t>(axes->size());
      if (v < 0 || v > n || (t.sign != '+' && v == n)) continue;
      if (t.sign == '-') axes->erase(axes->begin() + v);
      if (t.sign == '+') axes->insert(axes->begin() + v, kWholeAxis);
      if (t.sign == '!') (*axes)[static_cast<size_t>(v)] = kWholeAxis;
    }
  }
  bool Holds(const Condition& c) const {
    if (c.values.empty()) return false;
    const std::string text = TextOf(AttrOf(op_, attrs_, c.attr));
    return std::find(c.values.begin(), c.values.end(), text) != c.values.end();
  }
  // These are not divided; `.`: the axes of `...`.
  void Keep(const std::string& letters) {
    for (const auto& [key, f] : numbers_)
      for (char c : letters) {
        const bool run = c >= 'A' && c <= 'Z';
        const bool of = run ? key >= RunKey(c) && key < RunKey(c) + 1000 : c == '.' ? key < 1000 : key == 1000 + c;
        if (of) axes_.factors[static_cast<size_t>(f)].divides = false;
      }
  }
  // Channels are the second axis or the last; with `@` windows go over the others.
  void ByFormat(const Term& t, std::vector<int>* axes) {
    if (t.letters.size() > 1 && axes->size() > 2 && ChannelsLast(op_, attrs_)) std::swap((*axes)[1], axes->back());
    if (t.sign == '@') OverWindows(axes);
  }
  void OverWindows(std::vector<int>* axes) {
    const int64_t first = FirstSpatial(op_, attrs_);
    for (size_t k = 0; k + 2 < axes->size(); ++k) {
      const int f = Numbered(2000 + static_cast<int>(k));
      axes_.factors[static_cast<size_t>(f)].windows = true;
      (*axes)[k + static_cast<size_t>(first)] = f;
    }
  }
  int Leading(int64_t from_right) { return Numbered(static_cast<int>(from_right)); }
  int Letter(char c) { return c == '_' ? kWholeAxis : Numbered(1000 + c); }
  static void Drop(std::vector<int>& axes, int64_t k) {
    if (k >= 0 && k < static_cast<int64_t>(axes.size())) axes[static_cast<size_t>(k)] = kWholeAxis;
  }
  // Whether the op takes its operand as one row, whatever `axis` says.
  bool Flattens() const {
    for (size_t i = 0; i < op_.attrs.size(); ++i) {
      const std::string_view name = op_.attrs[i]->name;
      if ((name == "flatten" || name == "reduce_all" || name == "asvector") &&
          phi::AttrAs<bool>(attrs_[i], op_.name, op_.attrs[i]->name))
        return true;
    }
    return false;
  }
  // How many axes are before the attribute: its number, or all but as many as it lists.
  int64_t Before(const Term& t, int64_t rank) const {
    const Numbers n = NumbersOf(op_, attrs_, t.attrs[0]);
    if (n.list) return rank - std::max<int64_t>(1, static_cast<int64_t>(n.values.size()));
    return std::clamp<int64_t>(Wrapped(n.values[0], rank), 0, rank);
  }

  const phi::OpDef& op_;
  const phi::AttrValue* attrs_;
  const std::vector<Ints>&in_, &out_;
  Axes axes_;
  std::map<int, int> numbers_;
  std::map<char, int64_t> runs_;
  bool fits_ = true;  // whether operands have the axes that the rule names: else nothing is divided
};

}  // namespace

const Rule& RuleOf(const char* text) {
  static std::mutex mutex;
  static auto* rules = new std::map<std::string, Rule, std::less<>>;
  std::lock_guard lock(mutex);
  const auto known = rules->find(std::string_view(text));
  return known != rules->end() ? known->second : rules->emplace(text, Read(text)).first->second;
}

bool HasWindows(const Rule& rule) {
  for (const Term& t : rule.in)
    if (t.sign == '@') return true;
  return false;
}

Spatial SpatialOf(const phi::OpDef& op, const phi::AttrValue* attrs, const std::vector<Ints>& in, const Ints& out,
                  const std::vector<bool>& divided) {
  const auto list = [&](const char* name) { return Ints(NumbersOf(op, attrs, name).values); };
  const auto text = [&](const char* name) { return phi::AttrAs<std::string>(AttrOf(op, attrs, name), op.name, name); };
  const Ints& x = in[0];
  const Ints strides = list("strides");
  Ints kernel, dilations;
  if (in.size() > 1) {  // a convolution: its filter
    for (int64_t k = 2; k < in[1].size(); ++k) kernel.push_back(in[1][k]);
    dilations = list("dilations");
  } else {
    const auto flag = [&](const char* name) { return phi::AttrAs<bool>(AttrOf(op, attrs, name), op.name, name); };
    // Windows of other sizes, and means over windows that are cut at the end of the whole tensor.
    if (flag("global_pooling") || flag("adaptive")) return {};
    if (flag("ceil_mode") && !flag("exclusive") && text("pooling_type") == "avg") return {};
    kernel = list("kernel_size");
    dilations = Ints(kernel.size(), 1);
  }
  Ints filter = {1, 1};
  for (int64_t k : kernel) filter.push_back(k);
  Spatial s;
  s.first = FirstSpatial(op, attrs);
  s.paddings = phi::ResolvePaddings(op.name, common::ToDims(x), common::ToDims(filter), strides, list("paddings"),
                                    text("padding_algorithm"), dilations, ChannelsLast(op, attrs));
  s.windows.resize(static_cast<size_t>(x.size()));
  for (int k = 0; k + 2 < x.size(); ++k)
    if (const auto d = static_cast<size_t>(s.first + k); divided[d])
      s.windows[d] = {out[s.first + k], strides[k], s.paddings[2 * k], dilations[k] * (kernel[k] - 1) + 1};
  return s;
}

Axes AxesOf(const Rule& rule, const phi::OpDef& op, const phi::AttrValue* attrs, const std::vector<Ints>& in,
            const std::vector<int>& slot, const std::vector<Ints>& out, const std::vector<int>& out_slot,
            bool history) {
  Builder b(op, attrs, in, out);
  switch (rule.kind) {
    case Rule::kReplicate: break;
    case Rule::kNotation: b.Notation(rule, slot, out_slot); break;
    case Rule::kReduce: b.Reduce(rule, history); break;
    case Rule::kExtents: b.Extents(); break;
    case Rule::kTranspose: b.Transpose(); break;
  }
  return b.Take(rule.kind != Rule::kExtents);
}

}  // namespace paddle::distributed
