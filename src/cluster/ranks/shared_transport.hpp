// SharedTransport: lets the threads of a process take part in a job, each as a rank of its own.
//
// With T threads in each of N processes there are N * T ranks: thread t of process p is rank p * T + t. Each of them
// owns a part of the states, as if it were a process. So nothing is shared between the threads of a search, and all
// that is argued of ranks (ranks.hpp) holds for threads.
//
// Every thread has an end of its own, and the process has one for what it does outside of searches. An end has a box
// for what has arrived. To a thread of the same process a message goes from hand to hand: it is put into its box.
// Others travel through the network's transport, which one thread at a time uses. Whoever finds nothing in its box
// takes what the network has, and puts it into the boxes of those it is for.
//
// Order. Messages from one thread to another all take the same way, are sent and taken by one thread at a time, and a
// box keeps them in order.
//
// Memory. The network counts a message as taken when it is put into a box. So nothing is taken from the network while
// a box is full. This cannot deadlock: a thread that works, waits or has nothing to do takes what is in its box now
// and then, without waiting (ranks.hpp), so a box does not stay full. What threads have on their way to another
// process, or to a thread of their own, is bounded together, each having its share.
//
// Messages may arrive for threads that have not begun yet. They wait in their boxes.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "cluster/ranks/transport.hpp"

namespace tideline::cluster {

class SharedTransport {
 public:
  /// The network must outlive it.
  explicit SharedTransport(Transport& network);
  ~SharedTransport();
  SharedTransport(const SharedTransport&) = delete;
  SharedTransport& operator=(const SharedTransport&) = delete;

  /// The end of the process itself, which can make those of threads.
  Transport& process() { return *process_; }

 private:
  class Box;
  class ProcessEnd;
  class ThreadEnd;

  /// Until the box is not empty, if there is anything.
  std::optional<Message> receive(Box& box);
  Box& thread_box(std::size_t thread);
  bool a_box_is_full() const;

  Transport& network_;
  std::mutex mutex_;  ///< of the network, and of the list of boxes
  std::unique_ptr<Box> process_box_;
  std::vector<std::unique_ptr<Box>> thread_boxes_;
  std::unique_ptr<Transport> process_;
};

}  // namespace tideline::cluster
