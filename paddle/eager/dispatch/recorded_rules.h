// SPDX-License-Identifier: Apache-2.0
// What stanzas say of calls that are recorded: which results are views that writes go through (`recorded_view`), which
// calls other operations stand for (`recorded_by`), and which operands get the shape of the result
// (`recorded_broadcast`).
#pragma once

#include <string_view>

#include "paddle/eager/dispatch/record.h"

namespace egr {

// A recorded call whose result is seen as a view of its first operand.
struct Viewing {
  const Tensor& base;
  const Tensor& out;
  const phi::AttrValue* attrs;
  template <class T>
  T attr(int k) const {
    return phi::AttrAs<T>(attrs[k], "view", "attribute");
  }
  int64_t axis(const char* op, int k) const { return common::NormalizeAxis(op, attr<int64_t>(k), base.ndim()); }
};

struct RecordedCall {
  Recorder& recorder;
  const phi::OpDef& op;
  const phi::InSlot* in;
  const phi::AttrValue* attrs;
  bool deferred;  // an argument is known only when the program runs
};

struct RecordedRules {
  std::string_view op;
  void (*view)(const Viewing&);
  Tensor (*others)(const RecordedCall&);  // undefined: the operation holds the numbers
  bool broadcast;                         // operands are recorded with the shape of the result
};
// The generated rows.
extern const RecordedRules kRecordedRules[];
extern const size_t kRecordedRulesCount;

// Null where a stanza says nothing of that.
const RecordedRules* RecordedRulesOf(const phi::OpDef& op);

}  // namespace egr
