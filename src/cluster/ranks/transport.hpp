// Transport: messages between the processes of a job, which are its ranks.
//
// Algorithms do not see it; they use Ranks (ranks.hpp) and DistributedTable, which are written against these
// few functions. One transport is MPI (cluster/mpi), another is made of threads and queues, delays messages at
// random, and is for tests (testing/ranks_in_threads.hpp). SharedTransport (shared_transport.hpp) lets the threads
// of a process take part in a job, each as a rank of its own.
//
// What a transport promises:
//   - nothing is lost, doubled or changed, and messages from one rank to another arrive in their order; two
//     messages from or to different ranks may overtake each other
//   - no function waits
//   - outstanding(to) counts a batch until the receiver has *taken* it. A sender that looks at it bounds what
//     lies around anywhere: in its own buffers, on the way, and at the receiver. Other messages need not be counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace tideline::cluster {

using Bytes = std::vector<std::byte>;

/// What a message is for; see ranks.cpp. Those between threads are for SharedTransport.
enum class MessageKind : std::uint8_t { batch, end, up, down, blob, stop, leave, between_threads };

struct Message {
  unsigned from = 0;
  MessageKind kind = MessageKind::batch;
  Bytes bytes = {};
};

class Transport {
 public:
  virtual ~Transport() = default;

  virtual unsigned rank() const = 0;  ///< of this process, from 0
  virtual unsigned ranks() const = 0;
  virtual unsigned ranks_on_machine() const = 0;  ///< on this one, this rank included

  virtual void send(unsigned to, MessageKind kind, Bytes bytes) = 0;
  /// Batches to this rank that it has not taken yet.
  virtual std::size_t outstanding(unsigned to) = 0;
  /// Takes a message that has arrived; nothing: none has.
  virtual std::optional<Message> receive() = 0;

  // --- Several threads.

  /// Whether any thread may use it, one at a time.
  virtual bool is_for_threads() const { return false; }
  /// The process that a rank is, or is a thread of.
  virtual unsigned process_of(unsigned rank) const { return rank; }
  /// For the threads of this process, of which there are as many in all others: each becomes a rank of its own.
  /// Nothing: this cannot be done. It must not outlive this one.
  virtual std::unique_ptr<Transport> end_of_thread(unsigned /*thread*/, unsigned /*threads*/) {
    return nullptr;
  }
};

}  // namespace tideline::cluster
