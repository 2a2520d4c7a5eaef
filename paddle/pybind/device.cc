// SPDX-License-Identifier: Apache-2.0
// Devices for Python: what there is, memory statistics, streams and events as handles.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "paddle/phi/backends/custom/plugin_loader.h"
#include "paddle/phi/backends/gpu/device.h"
#include "paddle/phi/backends/gpu/shared_memory.h"
#include "paddle/phi/core/device.h"
#include "paddle/pybind/module.h"
#include "paddle/pybind/object/py_tensor.h"
#include "paddle/pybind/safe.h"

namespace paddle::py {
namespace {

namespace pyb = pybind11;

Place PlaceFrom(const pyb::object& o) { return ToPlace(o.ptr(), "device", "place"); }
uintptr_t Handle(void* p) { return reinterpret_cast<uintptr_t>(p); }
void* Pointer(uintptr_t h) { return reinterpret_cast<void*>(h); }

// "type" where there is one device of it, else "type:0", "type:1", ...
std::vector<std::string> Available() {
  std::vector<std::string> names;
  for (const std::string& type : phi::CustomDeviceTypes()) {
    size_t count = phi::CustomDeviceCount(type);
    for (size_t i = 0; i < count; ++i) names.push_back(count == 1 ? type : type + ":" + std::to_string(i));
  }
  return names;
}

pyb::dict Stats(const pyb::object& place) {
  phi::MemoryStats s = phi::DeviceMemoryStats(PlaceFrom(place));
  pyb::dict d;
  d["allocated"] = s.allocated;
  d["allocated_max"] = s.allocated_max;
  d["reserved"] = s.reserved;
  d["reserved_max"] = s.reserved_max;
  return d;
}

pyb::object MemoryInfo(const pyb::object& place) {
  size_t total = 0, free = 0;
  if (!phi::DeviceMemoryInfo(PlaceFrom(place), &total, &free)) return pyb::none();
  return pyb::make_tuple(total, free);
}

pyb::dict GpuProperties(const pyb::object& place) {
  const Place at = PlaceFrom(place);
  PD_CHECK(at.type == phi::AllocationType::GPU, InvalidArgument, "[get_device_properties] expected a GPU, got ",
           phi::PlaceText(at));
  const phi::gpu::Properties p = phi::gpu::PropertiesOf(at.device_id);
  pyb::dict d;
  d["name"] = p.name;
  d["major"] = p.major;
  d["minor"] = p.minor;
  d["total_memory"] = p.total_memory;
  d["multi_processor_count"] = p.multiprocessors;
  d["is_integrated"] = p.integrated;
  d["L2_cache_size"] = p.l2_cache;
  d["max_threads_per_block"] = p.max_threads_per_block;
  d["max_threads_per_multi_processor"] = p.max_threads_per_multiprocessor;
  d["warp_size"] = p.warp_size;
  d["pci_domain_id"] = p.pci_domain;
  d["pci_bus_id"] = p.pci_bus;
  d["pci_device_id"] = p.pci_device;
  return d;
}

#define PLACE_FN(f) Safe(+[](const pyb::object& p) { return f(PlaceFrom(p)); })
#define HANDLE_FN(f) Safe(+[](const pyb::object& p, uintptr_t h) { return f(PlaceFrom(p), Pointer(h)); })

int Init(PyObject* module) {
  return GuardedInt([&] {
    pyb::module_ m = pyb::reinterpret_borrow<pyb::module_>(module);
    m.def("to_place",
          Safe(+[](const pyb::object& o) { return pyb::reinterpret_steal<pyb::object>(PlaceObject(PlaceFrom(o))); }),
          "The place that a string or a device object names.");
    m.def("get_all_custom_device_type", &phi::CustomDeviceTypes, "Types of plugin devices.");
    m.def("get_available_custom_device", &Available, "Plugin devices.");
    m.def("device_memory_stats", Safe(&Stats), "Bytes allocated and reserved at a place, now and at most.");
    m.def("device_memory_shape", PLACE_FN(phi::DeviceMemoryShape), "Figures of a device's allocator, by name.");
    m.def("device_memory_info", Safe(&MemoryInfo), "(total, free) bytes of a device; None when it does not say.");
    m.def("gpu_count", Safe(&phi::gpu::DeviceCount), "How many GPUs there are; 0 without a driver.");
    m.def("gpu_properties", Safe(&GpuProperties), "What the driver says of a GPU.");
    m.def("reset_device_memory_peaks", PLACE_FN(phi::ResetDeviceMemoryPeaks));
    m.def("release_device_caches", Safe(+[] {
            phi::gpu::CollectShared();
            phi::ReleaseDeviceCaches();
          }),
          "Gives cached device memory back, and what other processes used of it.");
    m.def("synchronize_place", PLACE_FN(phi::SynchronizeDevice), "Waits for a device.");
    m.def("current_stream", Safe(+[](const pyb::object& p) { return Handle(phi::CurrentStream(PlaceFrom(p))); }));
    m.def("set_current_stream", HANDLE_FN(phi::SetCurrentStream));
    m.def("create_stream", Safe(+[](const pyb::object& p) { return Handle(phi::CreateStream(PlaceFrom(p))); }));
    m.def("destroy_stream", HANDLE_FN(phi::DestroyStream));
    m.def("query_stream", HANDLE_FN(phi::QueryStream));
    m.def("synchronize_stream", HANDLE_FN(phi::SynchronizeStream));
    m.def("create_event", Safe(+[](const pyb::object& p) { return Handle(phi::CreateEvent(PlaceFrom(p))); }));
    m.def("destroy_event", HANDLE_FN(phi::DestroyEvent));
    m.def("record_event", Safe(+[](const pyb::object& p, uintptr_t event, uintptr_t stream) {
            phi::RecordEvent(PlaceFrom(p), Pointer(event), Pointer(stream));
          }));
    m.def("elapsed_time", Safe(+[](const pyb::object& p, uintptr_t start, uintptr_t end) {
            return phi::ElapsedTime(PlaceFrom(p), Pointer(start), Pointer(end));
          }));
    m.def("query_event", HANDLE_FN(phi::QueryEvent));
    m.def("create_shared_event",
          Safe(+[](const pyb::object& p) { return Handle(phi::gpu::CreateSharedEvent(PlaceFrom(p))); }),
          "An event of a GPU that other processes may open.");
    m.def("shared_event_handle", Safe(+[](const pyb::object& p, uintptr_t event) {
            return pyb::bytes(phi::gpu::HandleOfEvent(PlaceFrom(p), Pointer(event)));
          }),
          "By what another process opens it.");
    m.def("open_shared_event", Safe(+[](const pyb::object& p, const pyb::bytes& handle) {
            return Handle(phi::gpu::OpenSharedEvent(PlaceFrom(p), handle));
          }),
          "That event, in another process.");
    m.def("synchronize_event", HANDLE_FN(phi::SynchronizeEvent));
    m.def("stream_wait_event", Safe(+[](const pyb::object& p, uintptr_t stream, uintptr_t event) {
            phi::StreamWaitEvent(PlaceFrom(p), Pointer(stream), Pointer(event));
          }));
    m.def("is_capturing", PLACE_FN(phi::IsCapturing), "Whether work on the current stream is captured in a graph.");
    // An object and no number, so that only what a capture has made can be run or ended.
    pyb::class_<phi::DeviceGraph>(m, "DeviceGraph", "Captures what follows on the current stream until end().")
        .def(pyb::init(Safe(+[](const pyb::object& place, const phi::DeviceGraph* shares, int mode) {
               return std::make_unique<phi::DeviceGraph>(PlaceFrom(place), shares ? shares->pool() : nullptr, mode);
             })),
             pyb::arg("place"), pyb::arg("shares").none(true), pyb::arg("mode"))
        .def("end", Safe(+[](phi::DeviceGraph& g) { g.End(); }), "Ends the capture.")
        .def("launch", Safe(+[](const phi::DeviceGraph& g) { g.Launch(); }), "Runs the graph on the current stream.")
        .def("print",
             Safe(+[](const phi::DeviceGraph& g, const std::string& path, unsigned flags) { g.Print(path, flags); }),
             "Writes the graph as DOT.");
  });
}

}  // namespace

PADDLE_MODULE_INIT(Init)

}  // namespace paddle::py
