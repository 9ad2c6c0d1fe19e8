#include "gpu/cuda_driver.hpp"

#include <dlfcn.h>

#include <optional>

namespace tideline::gpu {

namespace {

struct Found {
  std::optional<CudaDriver> driver;
  std::string why;
};

Found load() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);  // stays
  if (library == nullptr) return {{}, "there is no driver for one on this machine (libcuda.so.1)"};
  CudaDriver driver{};
  bool complete = true;
  const auto get = [&](auto& function, const char* name) {
    void* const symbol = dlsym(library, name);
    complete = complete && symbol != nullptr;
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
  };
  get(driver.init, "cuInit");
  get(driver.error_text, "cuGetErrorString");
  get(driver.device_count, "cuDeviceGetCount");
  get(driver.device, "cuDeviceGet");
  get(driver.device_name, "cuDeviceGetName");
  get(driver.device_attribute, "cuDeviceGetAttribute");
  get(driver.retain_context, "cuDevicePrimaryCtxRetain");
  get(driver.set_context, "cuCtxSetCurrent");
  get(driver.load_module, "cuModuleLoadDataEx");
  get(driver.unload_module, "cuModuleUnload");
  get(driver.get_function, "cuModuleGetFunction");
  get(driver.set_function_attribute, "cuFuncSetAttribute");
  get(driver.occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  get(driver.launch_cooperative, "cuLaunchCooperativeKernel");
  get(driver.synchronize, "cuCtxSynchronize");
  get(driver.memory_info, "cuMemGetInfo_v2");
  get(driver.allocate, "cuMemAlloc_v2");
  get(driver.release, "cuMemFree_v2");
  get(driver.upload, "cuMemcpyHtoD_v2");
  get(driver.download, "cuMemcpyDtoH_v2");
  get(driver.copy, "cuMemcpyDtoD_v2");
  get(driver.copy_between, "cuMemcpyPeer");
  get(driver.set_bytes, "cuMemsetD8_v2");
  if (!complete) return {{}, "the driver of this machine is too old"};
  int cards = 0;
  if (driver.init(0) != 0 || driver.device_count(&cards) != 0 || cards == 0)
    return {{}, "the driver of this machine finds none"};
  return {driver, {}};
}

}  // namespace

const CudaDriver* CudaDriver::find(std::string& why) {
  static const Found found = load();
  why = found.why;
  return found.driver ? &*found.driver : nullptr;
}

}  // namespace tideline::gpu
