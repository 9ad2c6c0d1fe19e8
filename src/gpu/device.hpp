// Device: where a search runs: a card, or threads of the processor that run the same kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpu/kernel_types.hpp"
#include "gpu/model_code.hpp"

namespace tideline::gpu {

class Device {
 public:
  virtual ~Device() = default;

  // What there is.
  virtual std::string name() const = 0;
  virtual std::uint64_t free_bytes() const = 0;
  /// How many of the kind there are: if more are asked for, some share the memory of one.
  virtual unsigned available() const = 0;
  virtual std::uint64_t ticks_per_second() const = 0;
  /// Those that run at the same time, and how many lanes each has.
  virtual std::uint64_t warps() const = 0;
  virtual unsigned lanes() const = 0;
  virtual std::uint32_t queue_capacity() const = 0;
  virtual std::uint32_t flag_bytes() const { return 0; }
  /// By part of the model: how many successors it may emit.
  virtual std::vector<std::uint32_t> part_emits() const = 0;

  // Memory. Nothing: there is not so much.
  virtual void* allocate(std::uint64_t bytes) = 0;
  virtual void release(void* memory) = 0;
  virtual void upload(void* to, const void* from, std::uint64_t bytes) = 0;
  virtual void download(void* to, const void* from, std::uint64_t bytes) = 0;
  virtual void copy(void* to, const void* from, std::uint64_t bytes) = 0;
  virtual void clear(void* memory, std::uint64_t bytes) = 0;
  /// From a device of the same kind.
  virtual void copy_from(const Device& other, void* to, const void* from, std::uint64_t bytes) = 0;

  /// Runs the kernel to its end.
  virtual void launch(Search* search) = 0;
};

/// The code must outlive the device.
std::unique_ptr<Device> make_cpu_device(const ModelCode& code, unsigned threads);

/// Throws Error (usage) where there is no card, with the reason. If there are fewer cards, several devices share one.
std::unique_ptr<Device> make_card(const ModelCode& code, unsigned number);

/// Memory of a device that is given back in the end.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  /// Nothing of it is there if the device has not so much: look at data().
  DeviceMemory(Device& device, std::uint64_t bytes)
      : device_(&device), data_(device.allocate(bytes)), bytes_(data_ ? bytes : 0) {}
  DeviceMemory(DeviceMemory&& other) noexcept { *this = std::move(other); }
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~DeviceMemory() {
    if (data_ != nullptr) device_->release(data_);
  }

  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  Device* device_ = nullptr;
  void* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace tideline::gpu
