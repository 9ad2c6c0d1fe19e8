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

/// A rank that waits looks this often before it sleeps: what it waits for often takes some microseconds. It does
/// not yield, which lets a busy neighbour on the same core go on for milliseconds; one that wakes up is next.
constexpr unsigned looks_before_sleep = 100;
constexpr auto sleep_time = std::chrono::microseconds(20);

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
  if (any) idle_ = 0;
  return any;
}

void Ranks::pause() {
  if (++idle_ > looks_before_sleep) std::this_thread::sleep_for(sleep_time);
}

void Ranks::handle(Message message) {
  Peer& peer = peers_[message.from];
  switch (message.kind) {
    case MessageKind::batch:
      ++received_;
      if (!leaving_) receiver_(message.from, message.bytes);
      break;
    case MessageKind::up:
      unpack(message.bytes, peer.report.emplace());
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
    case MessageKind::leave:
      peer.left = true;
      unsigned culprit = 0;
      std::string reason;
      unpack(message.bytes, culprit, reason);
      if (culprit_reason_.empty())
        std::tie(culprit_, culprit_reason_) = std::pair(culprit, std::move(reason));
      break;
  }
}

std::vector<unsigned> Ranks::children() const {
  std::vector<unsigned> result;
  for (const unsigned child : {2 * rank_ + 1, 2 * rank_ + 2})
    if (child < size_) result.push_back(child);
  return result;
}

void Ranks::send_numbers(unsigned to, MessageKind kind, const Values& values) {
  transport_.send(to, kind, packed(values));
}

void Ranks::send_to_all(MessageKind kind, const Bytes& bytes) {
  for (unsigned to = 0; to < size_; ++to)
    if (to != rank_) transport_.send(to, kind, bytes);
}

// A wave: values go up the tree as soon as they are known, the result comes down.

void Ranks::begin_wave(Values values, std::size_t sums) {
  contribution_ = std::move(values);
  sums_ = sums;
}

std::optional<Ranks::Values> Ranks::end_wave() {
  if (contribution_) {
    for (const unsigned child : children())
      if (!peers_[child].report) {
        require_present(child);
        return std::nullopt;
      }
    for (const unsigned child : children()) {
      const Values report = *std::exchange(peers_[child].report, std::nullopt);
      for (std::size_t i = 0; i < report.size(); ++i) {
        std::uint64_t& value = (*contribution_)[i];
        value = i < sums_ ? value + report[i] : std::min(value, report[i]);
      }
    }
    Values sum = *std::exchange(contribution_, std::nullopt);
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

void Ranks::begin_settling(Totals mine) {
  Values values{sent_, received_};
  values.insert(values.end(), mine.sums.begin(), mine.sums.end());
  const std::size_t sums = values.size();
  values.insert(values.end(), mine.least.begin(), mine.least.end());
  begin_wave(std::move(values), sums);
  wave_ = true;
}

std::optional<Totals> Ranks::end_settling() {
  const auto values = end_wave();
  if (!values) return std::nullopt;
  wave_ = false;
  const bool over = last_received_ == values->at(0);
  last_received_ = over ? std::nullopt : std::optional(values->at(1));
  if (!over) return std::nullopt;
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
  if (rank != rank_ && rank < size_ && peers_[rank].left) throw RankLeft(culprit_, culprit_reason_);
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
