#include "gpu/swept_space.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>

#include "model/error.hpp"

namespace tideline::gpu {

namespace {

constexpr std::uint64_t no_progress = ~std::uint64_t{0};
constexpr std::uint64_t samples = 1024;
constexpr std::uint64_t least_room = 64;
constexpr unsigned segments_at_a_time = 16;
constexpr std::uint64_t shelf_words = 1 << 20;
constexpr unsigned most_strip_bits =
    16;  // which say nothing about the device that a state belongs to: card_of()

}  // namespace

SweptSpace::SweptSpace(const System& system, ErrorSemantics errors, Watches watches, const Measure& measure,
                       const Options& options, std::function<void()> look)
    : Workspace(system, errors, std::move(watches), measure, options.device, options.threads, options.own),
      look_(std::move(look)),
      traces_(options.traces),
      monotone_(measure.claimed_monotone() && options.columns),
      claimed_shift_(measure.claimed_shift()),
      column_shift_(options.columns ? claimed_shift_ : 64),
      shelf_(options.folder, options.host_bytes, shelf_words) {
  s_.keeps_log = 1;
  s_.shows_ends = options.shows_ends ? 1 : 0;
  measured_ = need(samples * sizeof(std::uint64_t));
  s_.measured = measured_.as<std::uint64_t>();
  find_most_room();
  const std::uint64_t first = std::max(options.device.first_states, least_room);
  set_room(first >= most_room_ / 2 ? most_room_ : first);
}

// --- memory of the device

SweptSpace::Sizes SweptSpace::sizes(std::uint64_t room) const {
  Sizes sizes;
  sizes.piece = std::clamp(room / 16, least_room, s_.list_capacity);
  // An empty list has room for what a launch may find, and for a piece.
  const std::uint64_t least = std::max(s_.margin + s_.margin / 4, sizes.piece);
  sizes.log = room + least;
  sizes.ahead = room / 2 + least;
  sizes.behind = room / 16 + least;
  sizes.table = sizes.log + sizes.ahead + sizes.behind;
  sizes.slots = static_cast<std::uint64_t>(static_cast<double>(sizes.table) / fullest) / 4 * 4 + 4;
  return sizes;
}

std::uint64_t SweptSpace::bytes_for(std::uint64_t room) const {
  const Sizes all = sizes(room);
  return (all.log + all.ahead + all.behind + all.slots + all.piece) * state_bytes();
}

void SweptSpace::find_most_room() {
  const std::uint64_t left = limit_ - std::min(limit_, bytes());
  std::uint64_t low = 0, high = left / state_bytes();
  while (low < high) {
    const std::uint64_t middle = high - (high - low) / 2;
    if (bytes_for(middle) <= left)
      low = middle;
    else
      high = middle - 1;
  }
  most_room_ = low;
  if (most_room_ < least_room) need(bytes_for(least_room));  // which says that there is not so much
}

/// The table is empty then, and the lists are as before.
void SweptSpace::set_room(std::uint64_t room) {
  const Sizes all = sizes(room);
  const auto move = [&](DeviceMemory& memory, Word*& list, std::uint64_t capacity, std::uint64_t used) {
    DeviceMemory larger = need(capacity * state_bytes());
    if (used != 0) device_->copy(larger.as<void>(), memory.as<void>(), used * state_bytes());
    memory = std::move(larger);
    list = memory.as<Word>();
  };
  table_ = {};
  Word* pieces = nullptr;
  move(log_, s_.log, all.log, s_.count);
  move(ahead_, s_.ahead, all.ahead, std::max(ahead(), held_end_));
  move(behind_, s_.behind, all.behind, behind());
  move(pieces_, pieces, all.piece, 0);
  table_ = need(all.slots * state_bytes());
  s_.table = table_.as<Word>();
  s_.slots = all.slots;
  s_.most_states = all.table;
  s_.log_capacity = all.log;
  s_.ahead_capacity = all.ahead;
  s_.behind_capacity = all.behind;
  piece_ = all.piece;
  room_ = room;
  clear_table();
}

/// In steps that at least double the room, so that what is moved fits beside what is new.
bool SweptSpace::grow() {
  if (room_ == most_room_) return false;
  set_room(16 * room_ >= most_room_ ? most_room_ : 8 * room_);
  rebuild_table();
  return true;
}

std::uint64_t SweptSpace::bytes() const {
  std::uint64_t sum = Workspace::bytes();
  for (const DeviceMemory* memory : {&table_, &log_, &ahead_, &behind_, &pieces_, &measured_})
    sum += memory->bytes();
  return sum;
}

void SweptSpace::clear_table() {
  device_->clear(table_.as<void>(), table_.bytes());
  s_.skipped = 0;
  s_.ahead_count -= std::exchange(s_.ahead_base, 0);
  s_.behind_count -= std::exchange(s_.behind_base, 0);
}

void SweptSpace::rebuild_table() {
  clear_table();
  run_through(Mode::rehash, s_.log, s_.count);
  run_through(Mode::rehash, s_.ahead, ahead());
  run_through(Mode::rehash, s_.behind, behind());
}

/// For so many states, wherever they go.
void SweptSpace::make_room(std::uint64_t states) {
  for (;;) {
    const bool log_is_full = s_.count + states > s_.log_capacity;
    const bool ahead_is_full = ahead() + states > s_.ahead_capacity;
    const bool behind_is_full = behind() + states > s_.behind_capacity;
    const bool table_is_full = in_table() + states > s_.most_states;
    if (!log_is_full && !ahead_is_full && !behind_is_full && !table_is_full) return;
    if (grow()) continue;
    if (ahead_is_full) {
      put_away_ahead();
    } else if (behind_is_full) {
      put_away_behind();
    } else if (!log_is_full) {
      if (ahead() > s_.ahead_capacity / 2) put_away_ahead();
      rebuild_table();
    } else if (!split() && !cut_layers()) {
      throw LimitReached("the memory of the device is full, by states with the same progress");
    }
  }
}

// --- running through states

void SweptSpace::run_through(Mode mode, const Word* source, std::uint64_t count) {
  const std::uint64_t cursor = std::exchange(s_.cursor, 0);
  s_.source = source;
  s_.source_count = count;
  s_.found = no_progress;
  if (count != 0) launch(mode);
  s_.cursor = cursor;
}

/// The progress of some of the states, in order.
std::vector<std::uint64_t> SweptSpace::sample(const Word* list, std::uint64_t count) {
  const std::uint64_t taken = std::min(count, samples);
  if (taken == 0) return {};
  s_.stride = count / taken;
  run_through(Mode::measure, list, taken);
  s_.stride = 1;
  std::vector<std::uint64_t> values(taken);
  device_->download(values.data(), s_.measured, taken * sizeof values[0]);
  std::ranges::sort(values);
  return values;
}

/// Into the pieces, bucket by bucket. The numbers of a bucket are in bucket_counts.
void SweptSpace::deal(const Word* source, std::uint64_t count) {
  std::ranges::fill(s_.bucket_counts, 0);
  std::ranges::fill(s_.bucket_first, no_progress);
  std::ranges::fill(s_.bucket_last, 0);
  run_through(Mode::count, source, count);
  std::array<std::uint64_t, most_buckets> counts{};
  std::ranges::copy(s_.bucket_counts, counts.begin());
  std::exclusive_scan(counts.begin(), counts.end(), s_.bucket_counts, std::uint64_t{0});
  s_.dealt = pieces_.as<Word>();
  run_through(Mode::deal, source, count);
  std::ranges::copy(counts, s_.bucket_counts);
}

void SweptSpace::insert_piece(std::uint64_t count, bool expanded) {
  s_.source_expanded = expanded ? 1 : 0;
  run_through(Mode::insert, pieces_.as<Word>(), count);
  stored_peak_ = std::max(stored_peak_, stored());
  if (expanded)
    s_.cursor = archived_ = s_.count;
  else
    look_();
}

void SweptSpace::insert_words(const Word* words, std::uint64_t count, bool expanded) {
  const std::uint64_t width = code_.dense().words();
  for (std::uint64_t first = 0; first < count;) {
    const std::uint64_t some = std::min(count - first, piece_);
    make_room(some);
    device_->upload(pieces_.as<void>(), words + first * width, some * state_bytes());
    insert_piece(some, expanded);
    first += some;
  }
}

void SweptSpace::insert(const std::vector<std::vector<std::byte>>& states) {
  const std::uint64_t width = code_.dense().words();
  std::vector<Word> words(states.size() * width);
  for (std::size_t i = 0; i < states.size(); ++i)
    code_.dense().pack(states[i].data(), words.data() + i * width);
  insert_words(words.data(), states.size(), false);
}

void SweptSpace::receive(const Mail& mail) {
  const std::uint64_t width = code_.dense().words();
  for (std::uint64_t first = 0; first < mail.count;) {
    const std::uint64_t some = std::min(mail.count - first, piece_);
    make_room(some);
    device_->copy_from(*mail.device, pieces_.as<void>(), mail.states + first * width, some * state_bytes());
    insert_piece(some, false);
    first += some;
  }
}

Stop SweptSpace::expand() {
  s_.level_size_count = 0;
  launch(Mode::expand);
  stored_peak_ = std::max(stored_peak_, stored());
  return s_.stop;
}

// --- states that leave the device

void SweptSpace::put_away_ahead() {
  put_away(s_.ahead, ahead(), false);
  s_.ahead_base = s_.ahead_count;
  s_.ahead_first = no_progress;
}

void SweptSpace::put_away_behind() {
  fallen_back_ += behind();
  put_away(s_.behind, behind(), true);
  s_.behind_base = s_.behind_count;
}

void SweptSpace::put_away(const Word* list, std::uint64_t count, bool later) {
  if (count == 0) return;
  const std::uint64_t width = code_.dense().words();
  const std::vector<std::uint64_t> values = sample(list, count);
  std::vector<std::uint64_t> begins = {0};
  for (unsigned i = 1; i < segments_at_a_time; ++i)
    if (const std::uint64_t begin = values[i * values.size() / segments_at_a_time]; begin > begins.back())
      begins.push_back(begin);
  s_.buckets = static_cast<std::uint32_t>(begins.size());
  std::ranges::copy(begins, s_.bucket_begins);
  std::vector<Segment> segments(begins.size(), Segment{.first = no_progress, .later = later});
  std::vector<std::vector<Word>> pending(begins.size());
  std::vector<Word> words;
  const auto put = [&](std::size_t i) {
    segments[i].chunks.push_back(shelf_.put(std::exchange(pending[i], {})));
  };
  for (std::uint64_t first = 0; first < count; first += piece_) {
    const std::uint64_t some = std::min(count - first, piece_);
    deal(list + first * width, some);
    words.resize(some * width);
    device_->download(words.data(), s_.dealt, some * state_bytes());
    auto from = words.cbegin();
    for (std::size_t i = 0; i < segments.size(); ++i) {
      Segment& segment = segments[i];
      segment.first = std::min(segment.first, s_.bucket_first[i]);
      segment.last = std::max(segment.last, s_.bucket_last[i]);
      segment.count += s_.bucket_counts[i];
      for (auto left = static_cast<std::ptrdiff_t>(s_.bucket_counts[i]); left != 0;) {
        const auto room = static_cast<std::ptrdiff_t>(chunk_states() - pending[i].size() / width);
        const auto taken = std::min(left, room);
        const auto end = from + taken * static_cast<std::ptrdiff_t>(width);
        pending[i].insert(pending[i].end(), from, end);
        from = end;
        left -= taken;
        if (taken == room) put(i);
      }
    }
  }
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (!pending[i].empty()) put(i);
    if (segments[i].count != 0) segments_.push_back(std::move(segments[i]));
  }
}

/// The band ends before about half of the states in the log. False: they have the same progress.
bool SweptSpace::split() {
  const std::vector<std::uint64_t> values = sample(s_.log, s_.count);
  const std::uint64_t middle = values[values.size() / 2];
  const std::uint64_t last = middle > values.front() ? middle - 1 : middle;
  if (last >= values.back()) return false;
  end_band_at(last);
  return true;
}

bool SweptSpace::cut_layers() {
  const unsigned bits = std::min(most_strip_bits, 64 - code_.measure().bits());
  if (cuts_layers() || bits == 0) return false;
  s_.strip_bits = bits;
  const auto first_of = [&](std::uint64_t layer) {
    return layer > no_progress >> bits ? no_progress : layer << bits;
  };
  const auto last_of = [&](std::uint64_t layer) {
    return first_of(layer) | ((std::uint64_t{1} << bits) - 1);
  };
  const auto cut = [&](auto& range) {
    range.first = first_of(range.first);
    range.last = last_of(range.last);
  };
  std::ranges::for_each(segments_, cut);
  std::ranges::for_each(sections_, cut);
  s_.line = first_of(s_.line);
  s_.band_last = last_of(s_.band_last);
  s_.claimed_from = first_of(s_.claimed_from);
  s_.ahead_first = first_of(s_.ahead_first);
  width_ = first_of(width_);
  claimed_shift_ = std::min(claimed_shift_ + bits, 64U);
  column_shift_ = std::min(column_shift_ + bits, 64U);
  monotone_ = false;
  return true;
}

void SweptSpace::end_band_at(std::uint64_t last) {
  put_away(s_.ahead + held_begin_ * code_.dense().words(), held_end_ - held_begin_, false);
  held_begin_ = held_end_ = 0;
  archive();
  s_.band_last = last;
  const std::uint64_t expanded = keep_part(0, s_.cursor, 0, true);
  s_.count = keep_part(s_.cursor, s_.count, expanded, false);
  s_.cursor = archived_ = s_.level_begin = s_.level_end = expanded;
  rebuild_table();
}

std::uint64_t SweptSpace::keep_part(std::uint64_t begin, std::uint64_t end, std::uint64_t to, bool expanded) {
  const std::uint64_t width = code_.dense().words();
  for (std::uint64_t first = begin; first < end; first += piece_) {
    const std::uint64_t some = std::min(end - first, piece_);
    if (!expanded && ahead() + some > s_.ahead_capacity) put_away_ahead();
    s_.buckets = 2;
    s_.bucket_begins[1] = s_.band_last + 1;
    deal(s_.log + first * width, some);
    const auto [kept, leaving] = std::pair(s_.bucket_counts[0], s_.bucket_counts[1]);
    device_->copy(s_.log + to * width, s_.dealt, kept * state_bytes());
    to += kept;
    if (expanded) continue;
    device_->copy(s_.ahead + ahead() * width, s_.dealt + kept * width, leaving * state_bytes());
    s_.ahead_count += leaving;
    s_.ahead_first = std::min(s_.ahead_first, s_.bucket_first[1]);
  }
  return to;
}

/// What was expanded since the last time.
void SweptSpace::archive() {
  const std::uint64_t count = s_.cursor - archived_, width = code_.dense().words();
  if (count == 0) return;
  Section section{.first = s_.line, .last = s_.band_last, .begin = archive_end_, .count = count};
  for (std::uint64_t first = archived_; first < s_.cursor; first += chunk_states()) {
    std::vector<Word> words(std::min(s_.cursor - first, chunk_states()) * width);
    device_->download(words.data(), s_.log + first * width, words.size() * sizeof(Word));
    section.chunks.push_back(shelf_.put(std::move(words)));
  }
  sections_.push_back(std::move(section));
  archive_end_ += count;
  archived_ = s_.cursor;
}

// --- the line

void SweptSpace::leave_band() {
  if (needs_archive()) {
    archive();
  } else {
    archive_end_ += s_.cursor - archived_;
    archived_ = s_.cursor;
  }
}

std::optional<std::uint64_t> SweptSpace::first_due() const {
  std::uint64_t first = ahead() == 0 ? no_progress : s_.ahead_first;
  bool is_there = ahead() != 0;
  for (const Segment& segment : segments_)
    if (!segment.later) {
      first = std::min(first, segment.first);
      is_there = true;
    }
  return is_there ? std::optional(first) : std::nullopt;
}

void SweptSpace::end_band() {
  note_width();
  put_away_behind();
  s_.count = s_.cursor = archived_ = 0;
}

void SweptSpace::begin_sweep() {
  for (Segment& segment : segments_) segment.later = false;
}

void SweptSpace::begin_band(std::uint64_t first, std::uint64_t last,
                            const std::function<void()>& look_at_limits) {
  forget_columns_before(first);
  s_.claimed_from = claimed_shift_ >= 64 ? 0 : first >> claimed_shift_ << claimed_shift_;
  s_.band_last = last;
  s_.line = first;
  recall();
  sort_ahead(look_at_limits);
  load_segments(look_at_limits);
  s_.level_begin = s_.level_end = s_.cursor;
}

/// Of the next band: such that half of the log would have been full.
void SweptSpace::note_width() {
  const double before = static_cast<double>(s_.band_last - s_.line) + 1;
  const double full = static_cast<double>(s_.count) / static_cast<double>(most_room_);
  const double width = before * std::clamp(0.5 / std::max(full, 1e-9), 0.25, 4.0);
  width_ = width >= 0x1p63 ? std::uint64_t{1} << 63
                           : std::max<std::uint64_t>(static_cast<std::uint64_t>(width), 1);
}

std::uint64_t SweptSpace::choose_last(std::uint64_t first) {
  std::uint64_t last = first + (width_ - 1) < first ? no_progress : first + (width_ - 1);
  // What waits has to fit, too.
  std::ranges::sort(segments_, {}, &Segment::first);
  std::uint64_t waiting = 0;
  for (const Segment& segment : segments_) {
    if (segment.later || segment.first > last) continue;
    waiting += segment.count;
    if (waiting <= most_room_ / 2 || segment.first == first) continue;
    last = segment.first - 1;
    break;
  }
  return last;
}

void SweptSpace::forget_columns_before(std::uint64_t first) {
  if (traces_ || column_shift_ >= 64) return;
  const std::uint64_t begin = first >> column_shift_ << column_shift_;
  std::erase_if(sections_, [&](const Section& section) {
    if (section.last >= begin) return false;
    for (const Shelf::Chunk chunk : section.chunks) shelf_.drop(chunk);
    return true;
  });
}

/// What was expanded in this band before.
void SweptSpace::recall() {
  const auto is_here = [&](const Section& section) {
    return section.first <= s_.band_last && section.last >= s_.line;
  };
  if (std::ranges::any_of(sections_, is_here)) put_away_ahead();
  held_end_ = ahead();
  held_begin_ = 0;
  s_.ahead_count = s_.ahead_base = 0;
  s_.ahead_first = no_progress;
  clear_table();
  for (std::size_t i = 0; i < sections_.size(); ++i) {  // a split may add some
    if (!is_here(sections_[i])) continue;
    const std::vector<Shelf::Chunk> chunks = sections_[i].chunks;
    for (const Shelf::Chunk chunk : chunks) {
      const Shelf::Words words = shelf_.get(chunk);
      insert_words(words->data(), words->size() / code_.dense().words(), true);
    }
  }
}

/// Those that wait on the device: they are in the band now, or still ahead of it.
void SweptSpace::sort_ahead(const std::function<void()>& look_at_limits) {
  while (held_begin_ < held_end_) {
    look_at_limits();
    make_room(std::min(held_end_ - held_begin_, piece_));
    const std::uint64_t some = std::min(held_end_ - held_begin_, piece_);
    if (some == 0) break;  // they were put away
    device_->copy(pieces_.as<void>(), s_.ahead + held_begin_ * code_.dense().words(), some * state_bytes());
    held_begin_ += some;
    insert_piece(some, false);
  }
  held_begin_ = held_end_ = 0;
}

void SweptSpace::load_segments(const std::function<void()>& look_at_limits) {
  for (;;) {
    const auto next = std::ranges::find_if(
        segments_, [&](const Segment& segment) { return !segment.later && segment.first <= s_.band_last; });
    if (next == segments_.end()) return;
    const Segment segment = std::move(*next);
    segments_.erase(next);
    for (const Shelf::Chunk chunk : segment.chunks) {
      look_at_limits();
      const Shelf::Words words = shelf_.get(chunk);
      insert_words(words->data(), words->size() / code_.dense().words(), false);
      shelf_.drop(chunk);
    }
  }
}

// --- runs

std::optional<Predecessor> SweptSpace::find_among(const Word* list, std::uint64_t count,
                                                  const std::vector<std::byte>& state, std::uint64_t begin,
                                                  std::uint64_t& found) {
  if (auto before = predecessor_in(list, count, state, found)) return before;
  for (const std::uint64_t number : stepped_here_)
    if (number >= begin && number - begin < count)
      if (auto before = predecessor_in_part(list, number - begin, number - begin + 1, state, found))
        return before;
  return std::nullopt;
}

std::vector<std::vector<std::byte>> SweptSpace::breaking_claim() const {
  std::vector<std::vector<std::byte>> breaking;
  if (s_.broken_claim == 0) return breaking;
  const std::uint64_t width = code_.dense().words();
  std::vector<Word> words(behind() * width);
  device_->download(words.data(), s_.behind, words.size() * sizeof(Word));
  for (std::uint64_t i = 0; i < behind(); ++i) {
    std::vector<std::byte> state = unpacked(words.data() + i * width);
    if (code_.measure()(state.data()) < s_.claimed_from) breaking.push_back(std::move(state));
  }
  return breaking;
}

std::optional<Predecessor> SweptSpace::predecessor_in_band(const std::vector<std::byte>& state) {
  std::uint64_t found = 0;
  return find_among(s_.log, s_.cursor, state, archive_end_ - archived_, found);
}

std::optional<Predecessor> SweptSpace::predecessor_before(const std::vector<std::byte>& state,
                                                          std::uint64_t& bound) {
  const std::uint64_t width = code_.dense().words(), last = bound - 1;
  const Section& section = *std::prev(std::ranges::upper_bound(sections_, last, {}, &Section::begin));
  const std::uint64_t chunk = (last - section.begin) / chunk_states();
  const std::uint64_t begin = section.begin + chunk * chunk_states();
  const std::uint64_t first = begin + (last - begin) / piece_ * piece_;
  if (first != piece_of_run_) {
    const Shelf::Words words = shelf_.get(section.chunks[chunk]);
    const std::uint64_t some = std::min(begin + words->size() / width - first, piece_);
    device_->upload(pieces_.as<void>(), words->data() + (first - begin) * width, some * state_bytes());
    piece_of_run_ = first;
  }
  std::uint64_t found = 0;
  auto before = find_among(pieces_.as<Word>(), bound - first, state, first, found);
  bound = before ? first + found : first;
  return before;
}

}  // namespace tideline::gpu
