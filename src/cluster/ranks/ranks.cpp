#include "cluster/ranks/ranks.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "model/error.hpp"
#include "store/checkpoint.hpp"

namespace tideline::cluster {

namespace {

// A rank that waits looks again and again for a while before it sleeps: what it waits for often takes some
// microseconds. It does not yield, which lets a busy neighbour on the same core go on for milliseconds; one that
// wakes up is next. The longer it has waited, the longer it sleeps: by an eighth it may be late, and those that
// work on the same core are seldom interrupted.
constexpr auto patience = std::chrono::microseconds(40);
constexpr std::chrono::nanoseconds shortest_sleep = std::chrono::microseconds(20);
constexpr std::chrono::nanoseconds longest_sleep = std::chrono::microseconds(200);
constexpr int part_of_wait = 8;

template <class... Parts>
Bytes packed(Parts... parts) {
  ByteWriter writer;
  writer(parts...);
  return writer.take();
}

template <class... Parts>
void unpack(const Bytes& bytes, Parts&... parts) {
  ByteReader reader(bytes);
  reader(parts...);
  reader.require_end();
}

}  // namespace

Ranks::Ranks(Transport& transport)
    : transport_(transport),
      rank_(transport.rank()),
      size_(transport.ranks()),
      window_(std::clamp(batches_on_their_way / size_, least_window, most_window)),
      peers_(size_) {}

void Ranks::send(unsigned to, Bytes batch) {
  while (transport_.outstanding(to) >= window_)
    if (!poll()) pause();
  ++sent_;
  bytes_sent_ += batch.size();
  transport_.send(to, MessageKind::batch, std::move(batch));
}

bool Ranks::poll() {
  bool any = false;
  while (auto message = transport_.receive()) {
    handle(std::move(*message));
    any = true;
  }
  if (any) waits_since_.reset();
  return any;
}

void Ranks::pause() {
  const auto now = std::chrono::steady_clock::now();
  if (!waits_since_) waits_since_ = now;
  const std::chrono::nanoseconds waited = now - *waits_since_;
  if (waited >= patience)
    std::this_thread::sleep_for(std::clamp(waited / part_of_wait, shortest_sleep, longest_sleep));
}

void Ranks::handle(Message message) {
  Peer& peer = peers_[message.from];
  switch (message.kind) {
    case MessageKind::batch:
      ++received_;
      if (!leaving_) receiver_(message.from, message.bytes);
      break;
    case MessageKind::end:
      ++peer.ends;
      break;
    case MessageKind::up:
      unpack(message.bytes, peer.reports.emplace_back());
      break;
    case MessageKind::down: {
      Values result;
      unpack(message.bytes, result);
      pass_down(std::move(result));
      break;
    }
    case MessageKind::blob:
      peer.blobs.push_back(std::move(message.bytes));
      break;
    case MessageKind::stop:
      stopped_ = true;
      break;
    case MessageKind::leave: {
      peer.left = true;
      unsigned culprit = 0;
      std::string reason;
      unpack(message.bytes, culprit, reason);
      if (culprit_reason_.empty())
        std::tie(culprit_, culprit_reason_) = std::pair(culprit, std::move(reason));
      break;
    }
    case MessageKind::between_threads:  // which SharedTransport has unpacked
      break;
  }
}

std::vector<unsigned> Ranks::children() const {
  std::vector<unsigned> result;
  for (const unsigned child : {2 * rank_ + 1, 2 * rank_ + 2})
    if (child < size_) result.push_back(child);
  return result;
}

std::vector<unsigned> Ranks::reporting() const {
  if (!are_few()) return children();
  std::vector<unsigned> result;
  for (unsigned rank = 0; rank < size_; ++rank)
    if (rank != rank_) result.push_back(rank);
  return result;
}

void Ranks::send_numbers(unsigned to, MessageKind kind, const Values& values) {
  transport_.send(to, kind, packed(values));
}

void Ranks::send_to_all(MessageKind kind, const Bytes& bytes) {
  for (unsigned to = 0; to < size_; ++to)
    if (to != rank_) transport_.send(to, kind, bytes);
}

// A wave: values go up the tree as soon as they are known, the result comes down. A few ranks tell all others.

void Ranks::begin_wave(Values values, std::size_t sums) {
  if (are_few()) send_to_all(MessageKind::up, packed(values));
  contribution_ = std::move(values);
  sums_ = sums;
}

void Ranks::add_report(unsigned from) {
  std::deque<Values>& reports = peers_[from].reports;
  for (std::size_t i = 0; i < reports.front().size(); ++i) {
    std::uint64_t& value = (*contribution_)[i];
    value = i < sums_ ? value + reports.front()[i] : std::min(value, reports.front()[i]);
  }
  reports.pop_front();
}

std::optional<Ranks::Values> Ranks::end_wave() {
  if (contribution_) {
    for (const unsigned from : reporting())
      if (peers_[from].reports.empty()) {
        require_present(from);
        return std::nullopt;
      }
    for (const unsigned from : reporting()) add_report(from);
    Values sum = *std::exchange(contribution_, std::nullopt);
    if (are_few()) return sum;
    if (is_root())
      pass_down(std::move(sum));
    else
      send_numbers(parent(), MessageKind::up, sum);
  }
  if (!result_) {
    require_present(parent());
    return std::nullopt;
  }
  return std::exchange(result_, std::nullopt);
}

void Ranks::pass_down(Values result) {
  for (const unsigned child : children()) send_numbers(child, MessageKind::down, result);
  result_ = std::move(result);
}

bool Ranks::others_have_ended() {
  if (!are_few()) return true;
  if (!std::exchange(has_ended_, true)) send_to_all(MessageKind::end, {});
  for (unsigned rank = 0; rank < size_; ++rank)
    if (rank != rank_ && peers_[rank].ends == 0) {
      require_present(rank);
      return false;
    }
  return true;
}

void Ranks::begin_settling(Totals mine) {
  Values values{sent_, received_};
  values.insert(values.end(), mine.sums.begin(), mine.sums.end());
  const std::size_t sums = values.size();
  values.insert(values.end(), mine.least.begin(), mine.least.end());
  begin_wave(std::move(values), sums);
  wave_ = true;
}

std::optional<Totals> Ranks::end_settling(bool one_wave) {
  const auto values = end_wave();
  if (!values) return std::nullopt;
  wave_ = false;
  const bool over = one_wave ? values->at(1) == values->at(0) : last_received_ == values->at(0);
  last_received_ = over || one_wave ? std::nullopt : std::optional(values->at(1));
  if (!over) return std::nullopt;
  if (std::exchange(has_ended_, false))
    for (Peer& peer : peers_)
      if (&peer != &peers_[rank_]) --peer.ends;
  const auto least = values->begin() + static_cast<std::ptrdiff_t>(sums_);
  return Totals{{values->begin() + 2, least}, {least, values->end()}};
}

std::vector<std::uint64_t> Ranks::all_reduce(Values values, Combine combine) {
  const std::size_t sums = combine == Combine::sum ? values.size() : 0;
  begin_wave(std::move(values), sums);
  for (;;) {
    if (auto result = end_wave()) return *result;
    if (!poll()) pause();
  }
}

Bytes Ranks::take_blob(unsigned from) {
  std::deque<Bytes>& blobs = peers_[from].blobs;
  while (blobs.empty()) {
    require_present(from);
    if (!poll()) pause();
  }
  Bytes first = std::move(blobs.front());
  blobs.pop_front();
  return first;
}

std::vector<Bytes> Ranks::gather(Bytes mine) {
  send_to_all(MessageKind::blob, mine);
  std::vector<Bytes> all(size_);
  for (unsigned from = 0; from < size_; ++from) all[from] = from == rank_ ? mine : take_blob(from);
  return all;
}

Bytes Ranks::broadcast(unsigned from, Bytes mine) {
  if (from != rank_) return take_blob(from);
  send_to_all(MessageKind::blob, mine);
  return mine;
}

void Ranks::require_same(std::uint64_t value) {
  const Values least = all_reduce({value, ~value}, Combine::least);
  if (least[0] != ~least[1])
    throw Error(ErrorKind::usage, "the ranks do not have the same model, properties and options");
}

void Ranks::stop() {
  if (std::exchange(stopped_, true)) return;
  send_to_all(MessageKind::stop, {});
}

void Ranks::require_present(unsigned rank) const {
  // Root waits for no one above it, and a job of one rank for nobody at all.
  if (rank != rank_ && rank < size_ && peers_[rank].left)
    throw RankLeft(transport_.process_of(culprit_), culprit_reason_);
}

void Ranks::leave(const std::string& reason) {
  leaving_ = true;
  const bool mine = culprit_reason_.empty();
  send_to_all(MessageKind::leave, packed(mine ? rank_ : culprit_, mine ? reason : culprit_reason_));
  const auto present = [&](const Peer& peer) { return !peer.left && &peer != &peers_[rank_]; };
  while (std::ranges::any_of(peers_, present))
    if (!poll()) pause();
}

}  // namespace tideline::cluster
