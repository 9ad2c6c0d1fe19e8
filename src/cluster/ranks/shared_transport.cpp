#include "cluster/ranks/shared_transport.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <deque>
#include <utility>

namespace tideline::cluster {

namespace {

/// Messages in a box that is full.
constexpr std::size_t full_box = 64;

/// What a message between threads of two processes ends with.
struct Address {
  std::uint32_t from_thread, to_thread, threads;
  MessageKind kind;
};

}  // namespace

class SharedTransport::Box {
 public:
  void put(Message message) {
    const std::scoped_lock lock(mutex_);
    messages_.push_back(std::move(message));
    size_.store(messages_.size(), std::memory_order_release);
  }
  std::optional<Message> take() {
    if (size() == 0) return std::nullopt;
    const std::scoped_lock lock(mutex_);
    Message first = std::move(messages_.front());
    messages_.pop_front();
    size_.store(messages_.size(), std::memory_order_release);
    return first;
  }
  std::size_t size() const { return size_.load(std::memory_order_acquire); }

 private:
  std::mutex mutex_;
  std::deque<Message> messages_;
  std::atomic<std::size_t> size_ = 0;  ///< read without the lock
};

class SharedTransport::ProcessEnd : public Transport {
 public:
  explicit ProcessEnd(SharedTransport& shared) : shared_(shared) {}

  unsigned rank() const override { return shared_.network_.rank(); }
  unsigned ranks() const override { return shared_.network_.ranks(); }
  unsigned ranks_on_machine() const override { return shared_.network_.ranks_on_machine(); }
  void send(unsigned to, MessageKind kind, Bytes bytes) override {
    const std::scoped_lock lock(shared_.mutex_);
    shared_.network_.send(to, kind, std::move(bytes));
  }
  std::size_t outstanding(unsigned to) override {
    const std::scoped_lock lock(shared_.mutex_);
    return shared_.network_.outstanding(to);
  }
  std::optional<Message> receive() override { return shared_.receive(*shared_.process_box_); }
  std::unique_ptr<Transport> end_of_thread(unsigned thread, unsigned threads) override;

 private:
  SharedTransport& shared_;
};

class SharedTransport::ThreadEnd : public Transport {
 public:
  ThreadEnd(SharedTransport& shared, unsigned thread, unsigned threads)
      : shared_(shared), thread_(thread), threads_(threads) {
    const std::scoped_lock lock(shared_.mutex_);
    for (unsigned i = 0; i < threads_; ++i) boxes_.push_back(&shared_.thread_box(i));
  }

  unsigned rank() const override { return shared_.network_.rank() * threads_ + thread_; }
  unsigned ranks() const override { return shared_.network_.ranks() * threads_; }
  unsigned ranks_on_machine() const override { return shared_.network_.ranks_on_machine() * threads_; }
  unsigned process_of(unsigned rank) const override { return rank / threads_; }

  void send(unsigned to, MessageKind kind, Bytes bytes) override {
    if (is_here(to)) return box_of(to).put({rank(), kind, std::move(bytes)});
    const Address address{thread_, to % threads_, threads_, kind};
    const std::size_t end = bytes.size();
    bytes.resize(end + sizeof address);
    std::memcpy(bytes.data() + end, &address, sizeof address);
    const std::scoped_lock lock(shared_.mutex_);
    shared_.network_.send(process_of(to), MessageKind::between_threads, std::move(bytes));
  }

  std::size_t outstanding(unsigned to) override {
    if (is_here(to)) return box_of(to).size() / threads_;
    const std::scoped_lock lock(shared_.mutex_);
    return shared_.network_.outstanding(process_of(to)) / threads_;
  }

  std::optional<Message> receive() override { return shared_.receive(*boxes_[thread_]); }

 private:
  bool is_here(unsigned rank) const { return process_of(rank) == shared_.network_.rank(); }
  Box& box_of(unsigned rank) { return *boxes_[rank % threads_]; }

  SharedTransport& shared_;
  unsigned thread_, threads_;
  std::vector<Box*> boxes_;  ///< by thread
};

std::unique_ptr<Transport> SharedTransport::ProcessEnd::end_of_thread(unsigned thread, unsigned threads) {
  if (!shared_.network_.is_for_threads()) return nullptr;
  return std::make_unique<ThreadEnd>(shared_, thread, threads);
}

SharedTransport::SharedTransport(Transport& network)
    : network_(network),
      process_box_(std::make_unique<Box>()),
      process_(std::make_unique<ProcessEnd>(*this)) {}

SharedTransport::~SharedTransport() = default;

SharedTransport::Box& SharedTransport::thread_box(std::size_t thread) {
  while (thread_boxes_.size() <= thread) thread_boxes_.push_back(std::make_unique<Box>());
  return *thread_boxes_[thread];
}

bool SharedTransport::a_box_is_full() const {
  return std::ranges::any_of(thread_boxes_, [](const auto& box) { return box->size() >= full_box; });
}

std::optional<Message> SharedTransport::receive(Box& box) {
  if (auto message = box.take()) return message;
  {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return std::nullopt;  // another thread takes what there is
    while (box.size() == 0 && !a_box_is_full()) {
      auto message = network_.receive();
      if (!message) break;
      if (message->kind != MessageKind::between_threads) {
        process_box_->put(std::move(*message));
        continue;
      }
      Address address;
      const std::size_t end = message->bytes.size() - sizeof address;
      std::memcpy(&address, message->bytes.data() + end, sizeof address);
      message->bytes.resize(end);
      message->from = message->from * address.threads + address.from_thread;
      message->kind = address.kind;
      thread_box(address.to_thread).put(std::move(*message));
    }
  }
  return box.take();
}

}  // namespace tideline::cluster
