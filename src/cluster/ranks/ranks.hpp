// Ranks: what the processes of a job do together. Batches of states travel between them, sums are taken over
// all of them, and they find out that all have finished.
//
// All ranks run the same program on the same model. What is called a collective below must be called by all
// ranks in the same order; everything else is up to each of them.
//
// Batches and memory. A rank has at most so many batches (window_) on their way to each other rank, counted
// until the other has taken them, so that what a rank has sent and what is sent to it is bounded, whatever the
// speed of each. Few ranks have large windows: a rank that others keep from its core then holds up nobody.
// send() waits for a free place, and takes what arrives meanwhile. This cannot deadlock. The receiver of a batch stores what is in it, or queues work for later, and must not
// send: so taking never waits. A rank that waits keeps taking, a rank that works takes now and then (poll()),
// and one that has nothing to do takes as well. So every batch is taken after finitely many steps, and
// every place becomes free again.
//
// Is everything done? A phase is over when every rank is passive (has nothing to do, and has sent all it had)
// and no batch is on its way. That is found out by counting in waves (Mattern, "Algorithms for distributed
// termination detection", 1987, the four counter method). In a wave every rank, at a moment when it is
// passive, reports how many batches it has sent and received so far; reports are added up along a tree. The
// phase is over when the number received of one wave equals the number sent of the next one.
//
//   Proof. Let S(t) and R(t) be the numbers sent and received up to time t, by all ranks. Both only grow, and
//   R(t) <= S(t). Let t be the moment at which the last report of the first wave is made, and let the sums be S1, R1
//   and S2, R2. No report of the first wave is made later, so R1 <= R(t). A rank reports again when it knows the
//   sums of the first wave, which takes all reports, so S(t) <= S2. With R1 = S2 this gives R(t) <= S(t) <= S2 = R1 <= R(t), so all are equal. S(t) = R(t): no
//   batch is on its way at time t. R1 = R(t): no rank has received a batch between its report in the first wave
//   and time t, and only that makes a passive rank active. So all are passive at time t, and stay so.
//   Conversely, when all are passive and nothing is on its way, two more waves find it out.
//
// A wave costs a message to each rank and one from it, along a tree of height log2(ranks), and waits at a rank
// that is active, so that no waves run while there is work. A few ranks report to all others instead, and each adds
// up: one message after the other takes long where ranks have to wait for a core.
//
// What the ranks have to tell each other at the end of a phase can go with the waves. Nothing changes after time
// t, so what the reports of the second wave say is final.
//
// One wave. In some phases nobody sends because of what arrives: a rank that is passive stays so (all_taken()). Then
// the phase is over when the numbers sent and received of one wave are equal.
//
//   Proof. A rank that has reported sends no more in this phase, so the sum S is what is sent in the phase and
//   before. A batch that counts in the sum R was taken before its receiver reported. R = S: all were. So
//   nothing arrives at a rank between its report and the next phase, and what the reports say is final.
//
// So that a wave is not in vain, a few ranks tell each other that they have sent all (MessageKind::end), and each
// reports when all have: messages keep their order, so it has taken all batches then.
//
// From one phase to the next. A rank may learn later than others that a phase is over, and take batches of the
// next phase before that. Where this matters, a phase ends with another collective (all_reduce()): nobody
// begins the next phase before all have taken part in it, and they do so knowing that the last one is over.
// What arrives while a rank waits in that collective is of the next phase.
//
// Leaving. A rank that cannot go on, for a reason of its own, leaves; one that waits for it, directly, then
// throws RankLeft, leaves for the same reason, and so on. In the end all ranks leave, each waiting for all
// others, so that no message is on its way when the job ends. (A rank that dies without a word is noticed by
// what has started it.)
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cluster/ranks/transport.hpp"
#include "run/budget.hpp"

namespace tideline::cluster {

/// A rank that others wait for has left.
class RankLeft : public LimitReached {
 public:
  RankLeft(unsigned process, const std::string& reason)
      : LimitReached("rank " + std::to_string(process) + " has ended early: " + reason) {}
};

enum class Combine { sum, least };

/// Values of all ranks: of some the sums, of others the least ones.
struct Totals {
  std::vector<std::uint64_t> sums = {}, least = {};
};

class Ranks {
 public:
  /// So many talk to each other without a tree.
  static constexpr unsigned few_ranks = 8;

  /// The transport must outlive it.
  explicit Ranks(Transport& transport);

  unsigned rank() const { return rank_; }
  unsigned size() const { return size_; }
  bool is_first() const { return rank_ == 0; }
  /// The process that this is a rank in, as users count them.
  unsigned process() const { return transport_.process_of(rank_); }

  // --- Batches.

  /// Called with every batch that arrives. It must not send. Set it before the collective that comes before
  /// the first batch of anybody.
  using Receiver = std::function<void(unsigned from, std::span<const std::byte> batch)>;
  void set_receiver(Receiver receiver) { receiver_ = std::move(receiver); }

  /// Waits until there is a place for it.
  void send(unsigned to, Bytes batch);
  /// Takes everything that has arrived; false: nothing had.
  bool poll();
  /// Lets others work: called again and again while poll() finds nothing.
  void pause();

  /// Whether the phase is over. A rank that is passive calls it again and again, between calls of poll().
  bool settled() {
    return settled([] { return Totals{}; }).has_value();
  }
  /// Likewise; when it is over, the totals of what report() has returned on each rank.
  template <class Report>
  std::optional<Totals> settled(const Report& report) {
    if (!wave_) begin_settling(report());
    return end_settling(false);
  }
  /// Likewise, for phases in which nobody sends because of what arrives.
  template <class Report>
  std::optional<Totals> all_taken(const Report& report) {
    if (!wave_) {
      if (!others_have_ended()) return std::nullopt;
      begin_settling(report());
    }
    return end_settling(true);
  }

  // --- Collectives.

  /// Each value combined over all ranks.
  std::vector<std::uint64_t> all_reduce(std::vector<std::uint64_t> values, Combine combine = Combine::sum);
  /// What each rank has given, by rank.
  std::vector<Bytes> gather(Bytes mine);
  /// What the rank `from` has given.
  Bytes broadcast(unsigned from, Bytes mine);
  /// Throws Error(usage) unless all ranks have the same value.
  void require_same(std::uint64_t value);

  // --- Ending early.

  /// Asks all ranks to become passive; the phase still has to settle.
  void stop();
  bool stopped() const { return stopped_; }
  /// Forgets that, after a collective in which every rank has taken part after its last stop().
  void forget_stop() { stopped_ = false; }

  /// Says why this rank goes (nothing: all is done), and waits until all others go. Nothing may follow.
  void leave(const std::string& reason);

  // --- Figures.

  std::uint64_t batches_sent() const { return sent_ + batches_of_threads_; }
  std::uint64_t bytes_sent() const { return bytes_sent_; }
  /// Counts what a thread of this process has sent as a rank of its own.
  void add_sent(const Ranks& thread) {
    batches_of_threads_ += thread.sent_;
    bytes_sent_ += thread.bytes_sent_;
  }

  /// See transport.hpp.
  std::unique_ptr<Transport> end_of_thread(unsigned thread, unsigned threads) {
    return transport_.end_of_thread(thread, threads);
  }

 private:
  /// To all ranks together, and the least to one of them.
  static constexpr std::size_t batches_on_their_way = 4096, least_window = 4, most_window = 64;

  using Values = std::vector<std::uint64_t>;

  struct Peer {
    std::deque<Values> reports;  ///< for the wave in progress, and perhaps for the next one
    std::deque<Bytes> blobs;     ///< not asked for yet
    unsigned ends = 0;           ///< of phases that this rank has not ended yet
    bool left = false;
  };

  void handle(Message message);
  bool are_few() const { return size_ <= few_ranks; }
  bool is_root() const { return rank_ == 0; }
  unsigned parent() const { return (rank_ - 1) / 2; }
  std::vector<unsigned> children() const;
  /// A few ranks: all others.
  std::vector<unsigned> reporting() const;
  void send_numbers(unsigned to, MessageKind kind, const Values& values);
  void send_to_all(MessageKind kind, const Bytes& bytes);

  /// The first `sums` values are added up, of the others the least is taken.
  void begin_wave(Values values, std::size_t sums);
  /// The result, when it is there.
  std::optional<Values> end_wave();
  void pass_down(Values result);
  void add_report(unsigned from);
  bool others_have_ended();
  void begin_settling(Totals mine);
  std::optional<Totals> end_settling(bool one_wave);
  Bytes take_blob(unsigned from);
  void require_present(unsigned rank) const;

  Transport& transport_;
  unsigned rank_, size_;
  std::size_t window_;
  Receiver receiver_;
  std::vector<Peer> peers_;

  std::optional<Values> contribution_;  ///< to the wave in progress, not reported yet
  std::size_t sums_ = 0;                ///< of its values that are added up
  std::optional<Values> result_;
  bool wave_ = false;                           ///< one is in progress for settled() or all_taken()
  bool has_ended_ = false;                      ///< the phase, and has told the others
  std::optional<std::uint64_t> last_received_;  ///< by all, as of the last wave of settled()

  std::uint64_t sent_ = 0, received_ = 0, bytes_sent_ = 0, batches_of_threads_ = 0;
  std::optional<std::chrono::steady_clock::time_point> waits_since_;  ///< in pause(), for something to arrive
  bool stopped_ = false;
  bool leaving_ = false;
  unsigned culprit_ = 0;  ///< who has left first, and why
  std::string culprit_reason_;
};

}  // namespace tideline::cluster
