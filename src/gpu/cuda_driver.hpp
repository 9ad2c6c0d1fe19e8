// The few functions of a card's driver that are used, from libcuda.so.1, which comes with the driver. It is
// looked for when a card is asked for, so that no toolkit is needed, to build or to run.
#pragma once

#include <cstddef>
#include <string>

namespace tideline::gpu {

struct CudaDriver {
  using Result = int;  ///< 0: fine
  using DeviceId = int;
  using Context = struct ContextOpaque*;
  using Module = struct ModuleOpaque*;
  using Function = struct FunctionOpaque*;
  using Stream = struct StreamOpaque*;
  using Address = unsigned long long;

  Result (*init)(unsigned flags);
  Result (*error_text)(Result, const char** text);
  Result (*device_count)(int* count);
  Result (*device)(DeviceId*, int number);
  Result (*device_name)(char* name, int size, DeviceId);
  Result (*device_attribute)(int* value, int attribute, DeviceId);
  Result (*retain_context)(Context*, DeviceId);
  Result (*set_context)(Context);
  Result (*load_module)(Module*, const void* image, unsigned options, int* names, void** values);
  Result (*unload_module)(Module);
  Result (*get_function)(Function*, Module, const char* name);
  Result (*set_function_attribute)(Function, int attribute, int value);
  Result (*occupancy)(int* blocks, Function, int block_size, std::size_t shared_bytes);
  Result (*launch_cooperative)(Function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                               unsigned block_y, unsigned block_z, unsigned shared_bytes, Stream,
                               void** parameters);
  Result (*synchronize)();
  Result (*memory_info)(std::size_t* free, std::size_t* total);
  Result (*allocate)(Address*, std::size_t bytes);
  Result (*release)(Address);
  Result (*upload)(Address, const void*, std::size_t bytes);
  Result (*download)(void*, Address, std::size_t bytes);
  Result (*copy)(Address, Address, std::size_t bytes);
  Result (*copy_between)(Address to, Context, Address from, Context, std::size_t bytes);
  Result (*set_bytes)(Address, unsigned char value, std::size_t bytes);

  // Attributes.
  static constexpr int processors = 16, clock_kilohertz = 13, shared_of_block = 97;
  static constexpr int dynamic_shared = 8;
  static constexpr int jit_error_log = 5, jit_error_log_size = 6;
  static constexpr Result out_of_memory = 2;

  /// The driver of this machine. Nothing: there is none, and `why` says so.
  static const CudaDriver* find(std::string& why);
};

}  // namespace tideline::gpu
