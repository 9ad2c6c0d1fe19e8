// Batches are sent in MPI's synchronous mode (Issend): such a message is complete when the receiver has
// begun to take it, which is what outstanding() counts. Of other messages there are few at a time; they are complete
// when MPI has them (Isend). MPI keeps messages from one process to another in order.
//
// Nothing here waits for another process, which may have no core at the moment. A large message, above all, is
// received in pieces that its sender has to send one by one: it is received in the background (Imrecv), and
// handed over when it is there, after those that the same process has sent before it.
//
// Several threads of a process may use it, one at a time.
//
// This file is a module of its own, which a process loads when it is a rank: others do without MPI's libraries,
// which take time and memory to load and need not be there.
#include <mpi.h>
#include <sys/prctl.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <stdexcept>
#include <utility>

#include "cluster/ranks/transport.hpp"

namespace tideline::cluster {

namespace {

class MpiTransport : public Transport {
 public:
  MpiTransport() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    for_threads_ = provided >= MPI_THREAD_SERIALIZED;
    // A rank that waits sleeps for some microseconds, to which the system would add fifty.
    ::prctl(PR_SET_TIMERSLACK, 1000);
    MPI_Comm_dup(MPI_COMM_WORLD, &job_);  // errors of MPI end the job, with a message
    int rank = 0, ranks = 0;
    MPI_Comm_rank(job_, &rank);
    MPI_Comm_size(job_, &ranks);
    MPI_Comm machine = MPI_COMM_NULL;
    int neighbours = 1;
    MPI_Comm_split_type(job_, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &neighbours);
    MPI_Comm_free(&machine);
    on_machine_ = static_cast<unsigned>(neighbours);
    rank_ = static_cast<unsigned>(rank);
    sends_.resize(static_cast<std::size_t>(ranks));
  }
  ~MpiTransport() override {
    for (auto& sends : sends_)
      for (Send& send : sends) MPI_Wait(&send.request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&job_);
    MPI_Finalize();
  }
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;

  unsigned rank() const override { return rank_; }
  unsigned ranks() const override { return static_cast<unsigned>(sends_.size()); }
  unsigned ranks_on_machine() const override { return on_machine_; }
  bool is_for_threads() const override { return for_threads_; }

  void send(unsigned to, MessageKind kind, Bytes bytes) override {
    if (bytes.size() > std::numeric_limits<int>::max())
      throw std::length_error("a message of more than 2 GiB");
    outstanding(to);  // drops those that have been taken
    Send& send = sends_[to].emplace_back(Send{std::move(bytes), MPI_REQUEST_NULL});
    const bool counts = kind == MessageKind::batch || kind == MessageKind::between_threads;
    (counts ? MPI_Issend : MPI_Isend)(send.bytes.data(), static_cast<int>(send.bytes.size()), MPI_BYTE,
                                      static_cast<int>(to), static_cast<int>(kind), job_, &send.request);
  }

  std::size_t outstanding(unsigned to) override {
    std::deque<Send>& sends = sends_[to];
    for (int taken = 1; taken != 0 && !sends.empty();) {
      MPI_Test(&sends.front().request, &taken, MPI_STATUS_IGNORE);
      if (taken != 0) sends.pop_front();
    }
    return sends.size();
  }

  std::optional<Message> receive() override {
    while (receives_.size() < most_receives && begin_receive()) {
    }
    for (auto receive = receives_.begin(); receive != receives_.end(); ++receive) {
      const auto is_same_sender = [&](const Receive& other) {
        return other.message.from == receive->message.from;
      };
      if (std::any_of(receives_.begin(), receive, is_same_sender)) continue;
      int complete = 0;
      MPI_Test(&receive->request, &complete, MPI_STATUS_IGNORE);
      if (complete == 0) continue;
      Message message = std::move(receive->message);
      receives_.erase(receive);
      return message;
    }
    return std::nullopt;
  }

 private:
  /// At a time: they no longer count as outstanding where they come from.
  static constexpr std::size_t most_receives = 16;

  struct Receive {
    Message message;
    MPI_Request request;
  };

  bool begin_receive() {
    int arrived = 0;
    MPI_Message handle;
    MPI_Status status;
    MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, job_, &arrived, &handle, &status);
    if (arrived == 0) return false;
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    Receive& receive = receives_.emplace_back(
        Receive{{static_cast<unsigned>(status.MPI_SOURCE), static_cast<MessageKind>(status.MPI_TAG),
                 Bytes(static_cast<std::size_t>(count))},
                MPI_REQUEST_NULL});
    MPI_Imrecv(receive.message.bytes.data(), count, MPI_BYTE, &handle, &receive.request);
    return true;
  }

  struct Send {
    Bytes bytes;
    MPI_Request request;
  };

  MPI_Comm job_ = MPI_COMM_NULL;
  unsigned rank_ = 0, on_machine_ = 1;
  bool for_threads_ = false;
  std::deque<Receive> receives_;
  std::vector<std::deque<Send>> sends_;  ///< by rank: messages that are not known to have been taken
};

}  // namespace

extern "C" Transport* tideline_join_job() {
  return new MpiTransport;
}

}  // namespace tideline::cluster
