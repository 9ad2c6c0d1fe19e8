#include "store/state_run.hpp"

#include <algorithm>
#include <utility>

#include "run/budget.hpp"

namespace tideline {

namespace {

constexpr const char* states_file = "states file";
constexpr std::size_t most_shared = 0xFFFF;

}  // namespace

void DiskSpace::grow(std::uint64_t bytes) {
  const std::uint64_t now = bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  for (std::uint64_t peak = peak_; peak < now && !peak_.compare_exchange_weak(peak, now);) {
  }
}

StateRun::StateRun(DiskSpace& space, std::size_t state_bytes, std::size_t extra_bytes)
    : space_(space),
      state_bytes_(state_bytes),
      extra_bytes_(extra_bytes),
      share_bytes_(state_bytes <= 0xFF ? 1 : 2),
      last_(state_bytes) {}

StateRun::~StateRun() {
  space_.shrink(on_disk_);
}

void StateRun::append(const std::byte* state, const std::byte* extra) {
  if (shares_.size() + rests_.size() + extras_.size() >= space_.block_bytes()) seal();
  std::size_t shared = 0;
  if (shares_.empty()) {
    blocks_.push_back(size_);
    keys_.insert(keys_.end(), state, state + state_bytes_);
  } else {
    shared = std::min(common_prefix(last_.data(), state, state_bytes_), most_shared);
  }
  shares_.push_back(static_cast<std::byte>(shared));
  if (share_bytes_ == 2) shares_.push_back(static_cast<std::byte>(shared >> 8));
  rests_.insert(rests_.end(), state + shared, state + state_bytes_);
  extras_.insert(extras_.end(), extra, extra + extra_bytes_);
  std::copy_n(state + shared, state_bytes_ - shared, last_.begin() + static_cast<std::ptrdiff_t>(shared));
  ++size_;
}

/// The block is full. It goes to disk when it turns out not to be the only one.
void StateRun::seal() {
  if (blocks_.size() > 1) write();
  block_.clear();
  for (std::vector<std::byte>* part : {&shares_, &rests_, &extras_}) {
    block_.insert(block_.end(), part->begin(), part->end());
    part->clear();
  }
}

/// The block that was sealed before, which all on disk come before.
void StateRun::write() {
  space_.check();
  if (!file_) {
    file_.emplace(states_file, FilePlace{.folder = space_.folder()});
    space_.count_run();
  }
  const std::uint64_t before = file_->size();
  const auto next = std::ranges::upper_bound(blocks_, before);
  file_->append((next == blocks_.end() ? size_ : *next) - before, block_);
  if (!file_->failure().empty()) throw LimitReached("states cannot be written to disk: " + file_->failure());
  space_.grow(file_->bytes() - std::exchange(on_disk_, file_->bytes()));
}

void StateRun::finish() {
  if (!shares_.empty()) seal();
  if (blocks_.size() > 1) {
    write();
    block_ = {};
  }
  shares_ = {};
  rests_ = {};
  extras_ = {};
  last_ = {};
  block_.shrink_to_fit();
  keys_.shrink_to_fit();
  blocks_.shrink_to_fit();
}

void StateRun::load(std::size_t block, std::vector<std::byte>& content) const {
  space_.check();
  if (file_)
    file_->read(blocks_[block], content);
  else
    content = block_;
}

StateRun::Reader::Reader(const StateRun& run, std::size_t first, std::size_t end)
    : run_(&run), block_(first), end_(end), current_(run.state_bytes_ + word_bytes) {}

bool StateRun::Reader::next_block() {
  if (block_ == end_) return false;
  load(block_);
  return true;
}

void StateRun::Reader::load(std::size_t block) {
  run_->load(block, content_);
  const std::size_t size = content_.size();
  content_.resize(size + word_bytes);
  block_ = block + 1;
  left_ = (block_ < run_->blocks() ? run_->blocks_[block_] : run_->size_) - run_->blocks_[block];
  shares_ = content_.data();
  rests_ = shares_ + left_ * run_->share_bytes_;
  extras_ = content_.data() + size - left_ * run_->extra_bytes_;
  begun_ = true;
}

bool StateRun::Reader::seek(const std::byte* wanted) {
  const std::size_t bytes = run_->state_bytes_;
  const auto is_after = [&](std::size_t block) { return std::memcmp(run_->key(block), wanted, bytes) > 0; };
  if (block_ < end_ && !is_after(block_)) {
    std::size_t last = block_, after = end_;  // the last block that does not begin after the wanted state
    while (after - last > 1) {
      const std::size_t middle = last + (after - last) / 2;
      (is_after(middle) ? after : last) = middle;
    }
    load(last);
    take();
  }
  if (!begun_) return false;
  std::size_t same = common_prefix(current_.data(), wanted, bytes);
  while (same < bytes && current_[same] < wanted[same]) {
    if (left_ == 0) return false;
    const std::size_t shared = take();
    if (shared > same) continue;  // it differs from the wanted one where the one before did
    if (shared < same) return false;
    same += common_prefix(current_.data() + same, wanted + same, bytes - same);
  }
  return same == bytes;
}

namespace {

/// What comes next of several runs: a tree of losers, each of which knows how it differs from the state that was emitted
/// last. That is its code: how many bytes follow the first one in which it differs, and that byte. Of different codes the
/// smaller one is that of the smaller state, and the code of the greater one says, too, how that differs from the smaller
/// one. So bytes are compared only where codes are the same (Conner 1977).
class Tournament {
 public:
  explicit Tournament(std::span<const StateRun* const> runs, std::size_t bytes)
      : bytes_(bytes), loser_(runs.size()), codes_(runs.size()), last_(bytes) {
    for (const StateRun* run : runs) readers_.emplace_back(*run);
    std::vector<std::size_t> winners(2 * runs.size());
    for (std::size_t run = 0; run < runs.size(); ++run) {
      advance(run, nullptr);
      winners[runs.size() + run] = run;
    }
    for (std::size_t node = runs.size() - 1; node > 0; --node) {
      std::size_t winner = winners[2 * node];
      loser_[node] = winners[2 * node + 1];
      play(loser_[node], winner);
      winners[node] = winner;
    }
    winner_ = winners[1];
  }

  /// The run that has the least state, the first of those that have it.
  const StateRun::Reader& winner() const { return readers_[winner_]; }
  bool is_over() const { return codes_[winner_] == over; }
  /// Whether it is the one before once more.
  bool is_repeated() const { return codes_[winner_] == 0; }

  void next() {
    std::copy_n(winner().state(), bytes_, last_.begin());
    advance(winner_, last_.data());
    for (std::size_t node = (readers_.size() + winner_) / 2; node > 0; node /= 2) play(loser_[node], winner_);
  }

 private:
  static constexpr std::uint64_t over = ~std::uint64_t{0};

  void advance(std::size_t run, const std::byte* last) {
    if (!readers_[run].next())
      codes_[run] = over;
    else
      codes_[run] = code_of(run, last == nullptr ? 0 : common_prefix(last, readers_[run].state(), bytes_));
  }
  /// Of the state of a run that differs first in this byte from another one.
  std::uint64_t code_of(std::size_t run, std::size_t byte) const {
    if (byte == bytes_) return 0;
    return (bytes_ - byte) << 8 | std::to_integer<std::uint64_t>(readers_[run].state()[byte]);
  }

  void play(std::size_t& loser, std::size_t& winner) {
    const std::uint64_t code = codes_[winner];
    if (code == codes_[loser] && code != 0 && code != over) {
      const std::byte *const a = readers_[winner].state(), *const b = readers_[loser].state();
      const std::size_t from = bytes_ - (code >> 8) + 1;
      const std::size_t byte = from + common_prefix(a + from, b + from, bytes_ - from);
      if (byte == bytes_ ? loser < winner : b[byte] < a[byte]) std::swap(loser, winner);
      codes_[loser] = code_of(loser, byte);
    } else if (codes_[loser] < code || (codes_[loser] == code && loser < winner)) {
      std::swap(loser, winner);
    }
  }

  std::size_t bytes_;
  std::vector<StateRun::Reader> readers_;
  std::vector<std::size_t> loser_;  // by node: 1 is the root, those below node i are 2 i and 2 i + 1
  std::size_t winner_ = 0;
  std::vector<std::uint64_t> codes_;  // by run
  std::vector<std::byte> last_;
};

}  // namespace

void StateRun::merge(std::span<const StateRun* const> runs,
                     const std::function<void(const std::byte* state, const std::byte* extra)>& emit) {
  if (runs.empty()) return;
  bool first = true;
  for (Tournament states(runs, runs.front()->state_bytes_); !states.is_over(); states.next()) {
    if (first || !states.is_repeated()) emit(states.winner().state(), states.winner().extra());
    first = false;
  }
}

}  // namespace tideline
