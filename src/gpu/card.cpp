// A card, by its driver.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <utility>

#include "gpu/cuda_driver.hpp"
#include "gpu/device.hpp"
#include "gpu/kernels.hpp"
#include "model/error.hpp"

namespace tideline::gpu {

namespace {

constexpr unsigned block_threads = 128;
constexpr unsigned block_warps = block_threads / 32;
constexpr unsigned least_blocks = 8;  ///< on a processor of the card, so that waits for memory overlap
constexpr std::uint32_t part_emits_wanted = 8;
constexpr std::uint32_t most_flags = 8192;

/// A card's context is made once, and ends with the program: to make one takes longer than many searches. Nothing: it
/// cannot be made.
CudaDriver::Context context_of(const CudaDriver& cuda, CudaDriver::DeviceId device) {
  static std::mutex mutex;
  static std::map<CudaDriver::DeviceId, CudaDriver::Context> made;
  const std::scoped_lock lock(mutex);
  const auto [place, is_new] = made.emplace(device, nullptr);
  if (is_new && cuda.retain_context(&place->second, device) != 0) place->second = nullptr;
  return place->second;
}

const CudaDriver& driver() {
  std::string why;
  const CudaDriver* const found = CudaDriver::find(why);
  if (found == nullptr)
    throw Error(ErrorKind::usage,
                "a card is needed, and " + why + "; --device cpu runs the search on the processor");
  return *found;
}

class Card final : public Device {
 public:
  Card(const ModelCode& code, unsigned number) : cuda_(driver()) {
    const unsigned words = code.dense().words();
    const std::string kernel = kernel_text(words, code.sweeps());
    if (kernel.empty())
      throw Error(ErrorKind::usage,
                  "this build has no kernels for cards: clang was not installed when it was built");
    check(cuda_.device_count(&available_), "count the cards");
    check(cuda_.device(&device_, static_cast<int>(number) % available_), "choose the card");
    context_ = context_of(cuda_, device_);
    if (context_ == nullptr)
      throw Error(ErrorKind::usage, "the card cannot be used: it is in use, or broken");
    check(cuda_.set_context(context_), "use the card");
    choose_shape(code);
    load(code.ptx(kernel, parts_, {queue_capacity_, flag_bytes_ != 0}));
  }
  ~Card() override {
    if (module_ != nullptr) cuda_.unload_module(module_);
  }
  Card(const Card&) = delete;
  Card& operator=(const Card&) = delete;

  std::string name() const override {
    std::array<char, 256> text{};
    cuda_.device_name(text.data(), static_cast<int>(text.size()), device_);
    return text.data();
  }
  std::uint64_t free_bytes() const override {
    cuda_.set_context(context_);
    std::size_t free = 0, total = 0;
    check(cuda_.memory_info(&free, &total), "ask for its memory");
    return free;
  }
  unsigned available() const override { return static_cast<unsigned>(available_); }
  std::uint64_t ticks_per_second() const override {
    return static_cast<std::uint64_t>(attribute(CudaDriver::clock_kilohertz)) * 1000;
  }
  std::uint64_t warps() const override { return std::uint64_t{blocks_} * block_warps; }
  unsigned lanes() const override { return 32; }
  std::uint32_t queue_capacity() const override { return queue_capacity_; }
  std::uint32_t flag_bytes() const override { return flag_bytes_; }
  std::vector<std::uint32_t> part_emits() const override {
    std::vector<std::uint32_t> emits;
    for (const CodePart& part : parts_) emits.push_back(part.emits);
    return emits;
  }

  void* allocate(std::uint64_t bytes) override {
    cuda_.set_context(context_);
    CudaDriver::Address address = 0;
    const auto result = cuda_.allocate(&address, std::max<std::uint64_t>(bytes, 16));
    if (result == CudaDriver::out_of_memory) return nullptr;
    check(result, "allocate memory");
    return reinterpret_cast<void*>(address);
  }
  void release(void* memory) override {
    cuda_.set_context(context_);
    cuda_.release(address(memory));
  }
  void upload(void* to, const void* from, std::uint64_t bytes) override {
    cuda_.set_context(context_);
    check(cuda_.upload(address(to), from, bytes), "copy to it");
  }
  void download(void* to, const void* from, std::uint64_t bytes) override {
    cuda_.set_context(context_);
    check(cuda_.download(to, address(from), bytes), "copy from it");
  }
  void copy(void* to, const void* from, std::uint64_t bytes) override {
    cuda_.set_context(context_);
    check(cuda_.copy(address(to), address(from), bytes), "copy within it");
  }
  void clear(void* memory, std::uint64_t bytes) override {
    cuda_.set_context(context_);
    check(cuda_.set_bytes(address(memory), 0, bytes), "clear its memory");
  }
  void copy_from(const Device& other, void* to, const void* from, std::uint64_t bytes) override {
    const auto& card = static_cast<const Card&>(other);
    cuda_.set_context(context_);
    check(cuda_.copy_between(address(to), context_, address(from), card.context_, bytes),
          "copy from another one");
    check(cuda_.synchronize(), "copy from another one");
  }

  void launch(Search* search) override {
    cuda_.set_context(context_);
    auto argument = address(search);
    std::array<void*, 1> parameters = {&argument};
    check(cuda_.launch_cooperative(function_, blocks_, 1, 1, block_threads, 1, 1, shared_bytes_, nullptr,
                                   parameters.data()),
          "start the search");
    check(cuda_.synchronize(), "search");
  }

 private:
  static CudaDriver::Address address(const void* memory) {
    return reinterpret_cast<CudaDriver::Address>(memory);
  }

  void check(CudaDriver::Result result, const char* what) const {
    if (result == 0) return;
    const char* text = nullptr;
    cuda_.error_text(result, &text);
    throw Error(ErrorKind::internal,
                fmt::format("the card cannot {}: {}", what, text ? text : "unknown error"));
  }
  int attribute(int which) const {
    int value = 0;
    check(cuda_.device_attribute(&value, which, device_), "tell about itself");
    return value;
  }

  /// Parts of the model, and queues in the memory that the warps of a block share. A queue that is too short costs
  /// time only, but a single part of one state has to fit.
  void choose_shape(const ModelCode& code) {
    const unsigned words = code.dense().words();
    const std::uint32_t entries = words <= 4 ? 128 : 96;
    parts_ = cut_into_parts(code.steps(), part_emits_wanted);
    queue_capacity_ = entries;
    for (const CodePart& part : parts_) queue_capacity_ = std::max(queue_capacity_, part.emits + 31);
    const std::size_t actions = code.system().actions.size();
    flag_bytes_ = actions <= most_flags ? static_cast<std::uint32_t>((actions + 15) / 16 * 16) : 0;
    shared_bytes_ = flag_bytes_ + block_warps * (16 + 8 * words * queue_capacity_);
    if (shared_bytes_ > static_cast<std::uint32_t>(attribute(CudaDriver::shared_of_block)))
      throw Error(ErrorKind::usage,
                  fmt::format("the card has no room for {} successors of a state of {} bytes; engine bfs has",
                              queue_capacity_ - 31, code.layout().size()));
  }

  void load(std::string ptx) {
    const std::string least =
        fmt::format(".maxntid {}, 1, 1\n.minnctapersm {}\n", block_threads, least_blocks);
    ptx.insert(ptx.find("{\n", ptx.find(".entry")), least);
    std::array<char, 4096> log{};
    std::array<int, 2> names = {CudaDriver::jit_error_log, CudaDriver::jit_error_log_size};
    std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(log.size())};
    const auto result = cuda_.load_module(&module_, ptx.c_str(), 2, names.data(), values.data());
    if (result != 0 && log[0] != '\0')
      throw Error(ErrorKind::internal,
                  fmt::format("the card's driver refuses the code of the model: {}", log.data()));
    check(result, "load the code of the model");
    check(cuda_.get_function(&function_, module_, "tideline_search"), "find the kernel");
    check(
        cuda_.set_function_attribute(function_, CudaDriver::dynamic_shared, static_cast<int>(shared_bytes_)),
        "give a block so much memory");
    int resident = 0;
    check(cuda_.occupancy(&resident, function_, block_threads, shared_bytes_),
          "tell how many blocks it runs");
    blocks_ = static_cast<unsigned>(resident * attribute(CudaDriver::processors));
  }

  const CudaDriver& cuda_;
  int available_ = 1;
  CudaDriver::DeviceId device_ = 0;
  CudaDriver::Context context_ = nullptr;
  CudaDriver::Module module_ = nullptr;
  CudaDriver::Function function_ = nullptr;
  std::vector<CodePart> parts_;
  std::uint32_t queue_capacity_ = 0, flag_bytes_ = 0, shared_bytes_ = 0;
  unsigned blocks_ = 0;
};

}  // namespace

std::unique_ptr<Device> make_card(const ModelCode& code, unsigned number) {
  return std::make_unique<Card>(code, number);
}

}  // namespace tideline::gpu
