// SPDX-License-Identifier: Apache-2.0
// Stores, process groups and tasks for Python.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "paddle/distributed/collective/group_ring.h"
#include "paddle/distributed/collective/process_group.h"
#include "paddle/distributed/store/tcp_store.h"
#include "paddle/eager/autograd/inplace.h"
#include "paddle/phi/backends/cpu/threads.h"
#include "paddle/phi/core/host_lock.h"
#include "paddle/pybind/member.h"
#include "paddle/pybind/module.h"
#include "paddle/pybind/object/py_tensor.h"
#include "paddle/jit/python/tape.h"
#include "paddle/phi/core/tensor_copy.h"

namespace paddle::py {
namespace {

namespace pyb = pybind11;
namespace pd = paddle::distributed;
using pd::Collective;
using pd::CollectiveKind;
using pd::ProcessGroup;
using pd::TcpStore;
// Waits let other Python threads run. They may last, so a fork does not wait for them.
using Unlocked = pyb::gil_scoped_release;
using TaskPtr = std::shared_ptr<pd::Task>;

double Seconds(const pyb::object& o, double otherwise) { return o.is_none() ? otherwise : o.cast<double>(); }

// The tensors of one call. Those kept have no history: the thread that communicates may be the last to hold them, and
// it does not hold Python's lock.
class Operands {
 public:
  explicit Operands(const char* op) : op_(op) {}

  // Lists of messages: a message is a tensor, or a list of tensors whose elements follow each other. With `counts`
  // `messages` is one tensor, cut along its first axis into messages of so many rows.
  std::vector<pd::Message> In(const pyb::object& messages, const pyb::object& counts) {
    return Messages(messages, counts, false);
  }
  std::vector<pd::Message> Out(const pyb::object& messages, const pyb::object& counts) {
    return Messages(messages, counts, true);
  }
  Tensor Read(const pyb::handle& o) { return Keep(phi::Held(phi::Contiguous(Checked(o)))); }
  // The memory that a result is put in; it reaches the tensor by `finish` where that is not contiguous.
  Tensor Written(const pyb::handle& o) {
    const Tensor& t = Checked(o);
    egr::RequireApart(t, op_);
    t->storage()->BumpVersion();
    if (t.is_contiguous()) return Keep(phi::Held(t));
    const Tensor whole = phi::CopyOf(t);
    copies_.emplace_back(whole, phi::Held(t));
    return Keep(whole);
  }

  phi::DataType dtype() const { return held_.empty() ? phi::DataType::UINT8 : held_.front().dtype(); }
  std::vector<Tensor> TakeHeld() { return std::move(held_); }
  std::function<void()> Finish() {
    if (copies_.empty()) return nullptr;
    return [copies = std::move(copies_)] {
      for (const auto& [from, to] : copies) phi::CopyInto(from, to);
    };
  }

 private:
  const Tensor& Checked(const pyb::handle& o) {
    const Tensor& t = ToTensor(o.ptr(), op_, "tensor");
    PD_CHECK(t.defined() && t->kind() == phi::ImplKind::kDense, InvalidType, "[", op_,
             "] expected a dense tensor with data, got one that is ",
             t.is_symbolic() ? "a value of a program" : "not dense");
    PD_CHECK(t.place().type != phi::AllocationType::GPUPINNED, InvalidArgument, "[", op_,
             "] expected a tensor on the CPU or a device, got one in pinned memory");
    PD_CHECK(held_.empty() || held_.front().place() == t.place(), InvalidArgument, "[", op_,
             "] expected tensors at one place, got ", phi::PlaceText(held_.front().place()), " and ",
             phi::PlaceText(t.place()));
    PD_CHECK(held_.empty() || held_.front().dtype() == t.dtype(), InvalidType, "[", op_,
             "] expected tensors of one dtype, got ", phi::NameOf(dtype()), " and ", phi::NameOf(t.dtype()));
    return t;
  }
  Tensor Keep(Tensor t) {
    held_.push_back(t);
    return t;
  }
  static pd::Span SpanOf(const Tensor& t) {
    return {static_cast<char*>(t.raw_data()), static_cast<size_t>(t.numel() * phi::SizeOf(t.dtype()))};
  }

  std::vector<pd::Message> Messages(const pyb::object& messages, const pyb::object& counts, bool written) {
    const auto take = [&](const pyb::handle& o) { return written ? Written(o) : Read(o); };
    std::vector<pd::Message> result;
    if (messages.is_none()) return result;
    if (!counts.is_none()) {
      const Tensor t = take(messages);
      const int64_t rows = t.ndim() == 0 ? 1 : t.dim(0);
      const size_t row = rows == 0 ? 0 : SpanOf(t).bytes / static_cast<size_t>(rows);
      int64_t at = 0;
      for (const pyb::handle& o : counts) {
        const int64_t n = ToInt(o.ptr(), op_, "split sizes");
        PD_CHECK(n >= 0 && n <= rows - at, InvalidArgument, "[", op_, "] expected split sizes that add up to ", rows,
                 " rows, got ", n, " behind ", at);
        result.push_back(
            {{{static_cast<char*>(t.raw_data()) + static_cast<size_t>(at) * row, static_cast<size_t>(n) * row}}});
        at += n;
      }
      PD_CHECK(at == rows, InvalidArgument, "[", op_, "] expected split sizes that add up to ", rows, " rows, got ",
               at);
      return result;
    }
    for (const pyb::handle& o : messages) {
      pd::Message m;
      if (IsTensor(o.ptr()))
        m.pieces.push_back(SpanOf(take(o)));
      else
        for (const pyb::handle& piece : o) m.pieces.push_back(SpanOf(take(piece)));
      result.push_back(std::move(m));
    }
    return result;
  }

  const char* op_;
  std::vector<Tensor> held_;
  std::vector<std::pair<Tensor, Tensor>> copies_;
};

pd::ReduceOp ToReduceOp(const char* what, int64_t op) {
  PD_CHECK(op >= 0 && op < pd::kNumReduceOps, InvalidArgument, "[", what,
           "] expected a ReduceOp (SUM, MAX, MIN, PROD, AVG), got ", op);
  return static_cast<pd::ReduceOp>(op);
}

// The task of what has ended when the call returns.
const TaskPtr& Ended() {
  static const auto* task = [] {
    auto* t = new TaskPtr(std::make_shared<pd::Task>());
    (*t)->Finish(nullptr);
    return t;
  }();
  return *task;
}

TaskPtr Launch(ProcessGroup& g, Collective c, Operands& operands, bool sync) {
  StopTape(Tape::kOnce, "ranks communicated");
  c.dtype = operands.dtype();
  auto finish = operands.Finish();
  auto held = operands.TakeHeld();
  TaskPtr task;
  {
    Unlocked unlocked;
    task = g.Run(std::move(c), std::move(held), std::move(finish), sync);
  }
  return task ? task : Ended();
}

// Reduces one message, a list of tensors taken as one: in place, or into `out`.
template <CollectiveKind kKind>
TaskPtr ReduceWhole(ProcessGroup& g, const pyb::object& tensors, int op, int root, bool sync, const pyb::object& out) {
  const char* name = pd::NameOf(kKind);
  Operands operands(name);
  Collective c{.kind = kKind, .op = ToReduceOp(name, op), .root = root};
  if (!out.is_none()) c.in = operands.In(pyb::make_tuple(tensors), pyb::none());
  c.out = operands.Out(pyb::make_tuple(out.is_none() ? tensors : out), pyb::none());
  if (out.is_none()) c.in = c.out;
  PD_CHECK(c.in[0].bytes() == c.out[0].bytes(), InvalidArgument, "[", name, "] expected results of ", c.in[0].bytes(),
           " bytes, got ", c.out[0].bytes());
  pd::CheckReduction(name, operands.dtype(), c.op);
  if (kKind == CollectiveKind::kReduce && root != g.rank()) c.out.clear();
  return Launch(g, std::move(c), operands, sync);
}

TaskPtr Broadcast(ProcessGroup& g, const pyb::object& tensors, int root, bool sync) {
  Operands operands("broadcast");
  Collective c{.kind = CollectiveKind::kBroadcast, .root = root};
  auto& side = root == g.rank() ? c.in : c.out;
  side = root == g.rank() ? operands.In(pyb::make_tuple(tensors), pyb::none())
                          : operands.Out(pyb::make_tuple(tensors), pyb::none());
  return Launch(g, std::move(c), operands, sync);
}

void CheckCount(const char* op, const char* side, const std::vector<pd::Message>& messages, size_t want) {
  PD_CHECK(messages.size() == want, InvalidArgument, "[", op, "] expected ", want, " tensors or splits to ", side,
           ", got ", messages.size());
}

// Collectives that move messages, and reduce_scatter. `in` and `out` are lists of tensors, one for each message, or
// tensors cut by counts of rows.
template <CollectiveKind kKind>
TaskPtr Move(ProcessGroup& g, const pyb::object& out, const pyb::object& in, const pyb::object& out_counts,
             const pyb::object& in_counts, int op, int root, bool sync) {
  const char* name = pd::NameOf(kKind);
  Operands operands(name);
  Collective c{.kind = kKind, .op = ToReduceOp(name, op), .root = root};
  const auto n = static_cast<size_t>(g.size());
  c.in = operands.In(in, in_counts);
  const phi::DataType dtype = operands.dtype();
  c.out = operands.Out(out, out_counts);
  const bool is_root = root == g.rank();
  if constexpr (kKind == CollectiveKind::kReduceScatter) pd::CheckReduction(name, dtype, c.op);
  if constexpr (kKind == CollectiveKind::kAllGather || kKind == CollectiveKind::kGather)
    CheckCount(name, "send", c.in, 1);
  else
    CheckCount(name, "send", c.in, kKind == CollectiveKind::kScatter && !is_root ? 0 : n);
  if constexpr (kKind == CollectiveKind::kReduceScatter || kKind == CollectiveKind::kScatter)
    CheckCount(name, "receive", c.out, 1);
  else
    CheckCount(name, "receive", c.out, kKind == CollectiveKind::kGather && !is_root ? 0 : n);
  return Launch(g, std::move(c), operands, sync);
}

TaskPtr Send(ProcessGroup& g, const pyb::object& tensor, int peer, bool sync) {
  StopTape(Tape::kOnce, "ranks communicated");
  const Tensor t = Operands("send").Read(tensor);
  Unlocked unlocked;
  return g.Send(t, peer, sync);
}
TaskPtr Receive(ProcessGroup& g, const pyb::object& tensor, int peer, bool sync) {
  StopTape(Tape::kOnce, "ranks communicated");
  const Tensor t = Operands("recv").Written(tensor);
  PD_CHECK(AsTensor(tensor.ptr()).is_contiguous(), InvalidArgument,
           "[recv] expected a contiguous tensor to receive into, got strides ",
           common::ShapeText(AsTensor(tensor.ptr()).strides()));
  Unlocked unlocked;
  return g.Receive(t, peer, sync);
}

pd::Message BytesMessage(char* data, size_t n) { return {{{data, n}}}; }

// What every rank gives, in the order of ranks.
std::vector<pyb::bytes> GatherBytes(ProcessGroup& g, const std::string& mine) {
  StopTape(Tape::kPlain, "ranks exchanged objects");
  const auto n = static_cast<size_t>(g.size());
  std::vector<uint64_t> sizes(n);
  std::vector<std::string> all(n);
  {
    Unlocked unlocked;
    uint64_t size = mine.size();
    Collective c{.kind = CollectiveKind::kAllGather};
    c.in = {BytesMessage(reinterpret_cast<char*>(&size), sizeof size)};
    for (uint64_t& s : sizes) c.out.push_back(BytesMessage(reinterpret_cast<char*>(&s), sizeof s));
    g.Run(c, {}, nullptr, true);
    c.in = {BytesMessage(const_cast<char*>(mine.data()), mine.size())};
    c.out.clear();
    for (size_t r = 0; r < n; ++r) {
      all[r].resize(sizes[r]);
      c.out.push_back(BytesMessage(all[r].data(), all[r].size()));
    }
    g.Run(std::move(c), {}, nullptr, true);
  }
  return {all.begin(), all.end()};
}

void ForgetRings(const std::vector<int64_t>& ids) {
  for (int64_t id : ids) phi::ServeRing(id, nullptr);
}

void Barrier(ProcessGroup& g) {
  StopTape(Tape::kOnce, "ranks communicated");
  Unlocked unlocked;
  g.Run(Collective{.kind = CollectiveKind::kBarrier}, {}, nullptr, true);
}

void AddStore(pyb::module_& m) {
  m.def("_forget_rings", &ForgetRings, pyb::arg("ids"), "Operations of programs find no groups under these numbers.");
  m.def("_set_num_threads", &phi::cpu::SetNumThreads, pyb::arg("n"), "Kernels take at most so many threads.");
  const auto timeout = pyb::arg("timeout") = pyb::none();
  // The ranks whose end ends the wait; without any, a rank that dies meanwhile.
  const pyb::arg_v needed = pyb::arg("needed") = std::vector<int>();
  pyb::class_<TcpStore, std::shared_ptr<TcpStore>>(
      m, "TCPStore", "Keys and values that the processes of a job share. The master holds them; its port may be 0.")
      .def(pyb::init([](const std::string& host, int port, bool is_master, int world_size, double seconds,
                        std::string secret, int rank) {
             PD_CHECK(world_size >= 1, InvalidArgument, "[TCPStore] expected a world_size of 1 or more, got ",
                      world_size);
             Unlocked unlocked;
             return std::make_shared<TcpStore>(host, port, is_master, std::move(secret), seconds, rank);
           }),
           pyb::arg("hostname"), pyb::arg("port"), pyb::arg("is_master"), pyb::arg("world_size"),
           pyb::arg("timeout") = 900, pyb::arg("secret") = "", pyb::arg("rank") = -1)
      .def(
          "_leave",
          [](TcpStore& s) {
            Unlocked unlocked;
            s.Leave();
          },
          "This process ends as it should, so waits of others that do not need it go on.")
      .def_property_readonly("host", [](const TcpStore& s) { return s.host(); })
      .def_property_readonly("port", [](const TcpStore& s) { return s.port(); })
      .def(
          "set",
          [](TcpStore& s, const std::string& key, const std::string& value) {
            Unlocked unlocked;
            s.Set(key, value);
          },
          pyb::arg("key"), pyb::arg("value"))
      .def(
          "get",
          [](TcpStore& s, const std::string& key, const pyb::object& seconds, const std::vector<int>& needed) {
            const pd::Deadline deadline = pd::Deadline::In(Seconds(seconds, s.timeout()));
            std::string value;
            {
              Unlocked unlocked;
              value = s.Get(key, deadline, needed);
            }
            return pyb::bytes(value);
          },
          pyb::arg("key"), timeout, needed, "The value of a key, once it has one.")
      .def(
          "add",
          [](TcpStore& s, const std::string& key, int64_t amount) {
            Unlocked unlocked;
            return s.Add(key, amount);
          },
          pyb::arg("key"), pyb::arg("amount"), "Adds to the number of a key, 0 at first, and returns it.")
      .def(
          "wait",
          [](TcpStore& s, const pyb::object& keys, const pyb::object& seconds, const std::vector<int>& needed) {
            const pd::Deadline deadline = pd::Deadline::In(Seconds(seconds, s.timeout()));
            const auto list = pyb::isinstance<pyb::str>(keys) ? std::vector<std::string>{keys.cast<std::string>()}
                                                              : keys.cast<std::vector<std::string>>();
            Unlocked unlocked;
            s.Wait(list, deadline, needed);
          },
          pyb::arg("key"), timeout, needed, "Until a key, or each of a list, has a value.")
      .def(
          "check",
          [](TcpStore& s, const std::string& key) {
            Unlocked unlocked;
            return s.Check(key);
          },
          pyb::arg("key"))
      .def(
          "delete_key",
          [](TcpStore& s, const std::string& key) {
            Unlocked unlocked;
            return s.Delete(key);
          },
          pyb::arg("key"), "Whether there was such a key.");
}

void AddGroup(pyb::module_& m) {
  const auto sync = pyb::arg("sync") = true;
  const auto out_counts = pyb::arg("out_counts") = pyb::none(), in_counts = pyb::arg("in_counts") = pyb::none();
  const auto op = pyb::arg("op") = 0, root = pyb::arg("root") = 0;
  pyb::class_<pd::Task, TaskPtr>(m, "task", "Communication under way.")
      .def(
          "wait",
          [](pd::Task& t) {
            Unlocked unlocked;
            t.Wait();
            return true;
          },
          "Until it has ended; raises what it failed of.")
      .def("synchronize",
           [](pd::Task& t) {
             Unlocked unlocked;
             t.Synchronize();
           })
      .def("is_completed", [](const pd::Task& t) { return t.done(); });
  pyb::class_<ProcessGroup, std::shared_ptr<ProcessGroup>>(m, "ProcessGroup", "Ranks that communicate.")
      .def(pyb::init([](const std::shared_ptr<TcpStore>& store, const std::string& id, std::vector<int> ranks, int rank,
                        double seconds) {
             Unlocked unlocked;
             return std::make_shared<ProcessGroup>(store, id, std::move(ranks), rank, seconds);
           }),
           pyb::arg("store").none(false), pyb::arg("id"), pyb::arg("ranks"), pyb::arg("rank"), pyb::arg("timeout"))
      .def("rank", [](const ProcessGroup& g) { return g.rank(); })
      .def("size", [](const ProcessGroup& g) { return g.size(); })
      .def("name", [](const ProcessGroup&) { return "GLOO"; })
      .def(
          "_serve",
          [](const std::shared_ptr<ProcessGroup>& g, int64_t id) {
            phi::ServeRing(id, std::make_shared<pd::GroupRing>(g));
          },
          pyb::arg("id"), "Operations of programs find the group by this number from now on.")
      .def("all_reduce", &ReduceWhole<CollectiveKind::kAllReduce>, pyb::arg("tensor"), op, root, sync,
           pyb::arg("out") = pyb::none())
      .def("reduce", &ReduceWhole<CollectiveKind::kReduce>, pyb::arg("tensor"), op, root, sync,
           pyb::arg("out") = pyb::none())
      .def("broadcast", &Broadcast, pyb::arg("tensor"), root, sync)
      .def("all_gather", &Move<CollectiveKind::kAllGather>, pyb::arg("out"), pyb::arg("in_"), out_counts, in_counts, op,
           root, sync)
      .def("gather", &Move<CollectiveKind::kGather>, pyb::arg("out"), pyb::arg("in_"), out_counts, in_counts, op, root,
           sync)
      .def("scatter", &Move<CollectiveKind::kScatter>, pyb::arg("out"), pyb::arg("in_"), out_counts, in_counts, op,
           root, sync)
      .def("reduce_scatter", &Move<CollectiveKind::kReduceScatter>, pyb::arg("out"), pyb::arg("in_"), out_counts,
           in_counts, op, root, sync)
      .def("all_to_all", &Move<CollectiveKind::kAllToAll>, pyb::arg("out"), pyb::arg("in_"), out_counts, in_counts, op,
           root, sync)
      .def("send", &Send, pyb::arg("tensor"), pyb::arg("dst"), sync)
      .def("recv", &Receive, pyb::arg("tensor"), pyb::arg("src"), sync)
      .def("begin_batch", Member(&ProcessGroup::BeginBatch),
           "Messages on GPUs from here to end_batch() begin together.")
      .def("end_batch", Member(&ProcessGroup::EndBatch))
      .def("gather_bytes", &GatherBytes, pyb::arg("mine"), "What every rank gives, in the order of ranks.")
      .def("barrier", &Barrier)
      .def(
          "abort",
          [](ProcessGroup& g) {
            Unlocked unlocked;
            g.Abort();
          },
          "Ends what is under way on all ranks, which can make the group anew.")
      .def(
          "close",
          [](ProcessGroup& g) {
            Unlocked unlocked;
            g.Close();
          },
          "Ends what is under way and leaves: other ranks no longer wait for this one.");
}

int Init(PyObject* module) {
  return GuardedInt([&] {
    pyb::module_ m = pyb::reinterpret_borrow<pyb::module_>(module);
    AddStore(m);
    AddGroup(m);
  });
}

}  // namespace

PADDLE_MODULE_INIT(Init)

}  // namespace paddle::py
