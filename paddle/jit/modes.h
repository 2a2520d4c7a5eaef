// SPDX-License-Identifier: Apache-2.0
// The modes that a call depends on beside its arguments.
#pragma once

#include "paddle/eager/dispatch/state.h"
#include "paddle/phi/core/default_dtype.h"

namespace paddle::jit {

struct Modes {
  egr::DispatchState dispatch;
  phi::DataType default_dtype = phi::DataType::UNDEFINED;

  static Modes Now() { return {egr::State(), phi::DefaultDtype()}; }
  // Whether calls do the same in both; what is recorded into is no mode.
  bool operator==(const Modes& o) const {
    return dispatch.grad_enabled == o.dispatch.grad_enabled && dispatch.amp_level == o.dispatch.amp_level &&
           default_dtype == o.default_dtype &&
           (dispatch.amp_level == 0 ||
            (dispatch.amp_dtype == o.dispatch.amp_dtype && dispatch.amp_lists == o.dispatch.amp_lists));
  }
  // Makes them those of this thread, which records what it did.
  void Set() const {
    egr::DispatchState& s = egr::State();
    s.grad_enabled = dispatch.grad_enabled;
    s.amp_level = dispatch.amp_level;
    s.amp_dtype = dispatch.amp_dtype;
    s.amp_lists = dispatch.amp_lists;
    phi::SetDefaultDtype(default_dtype);
  }
};

// The modes are at the end of the scope what they are at its beginning.
class ModesKept {
 public:
  ModesKept() : modes_(Modes::Now()) {}
  ~ModesKept() { modes_.Set(); }
  ModesKept(const ModesKept&) = delete;

 private:
  Modes modes_;
};

}  // namespace paddle::jit
