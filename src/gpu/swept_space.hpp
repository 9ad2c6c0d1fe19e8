// SweptSpace: the states of a sweep on a device, all of them or its part (spread_sweep.hpp).
//
// The sweep-line method (docs/sweep-line.md) expands states in order of progress, and has only those in memory that are at the
// line or ahead of it. A device needs many states at a time, so here the line is as wide as its memory allows: a band
// of progress values, from `line` to `band_last`. Within the band states are expanded in any order, and all of them are in
// the table. Of what they lead to, states that have passed the band wait in a list (`ahead`); states behind the line, where
// regress edges lead, go to another one (`behind`) and wait for the next sweep. Both are in the table, too, so that a band adds
// each of them once.
//
// No state is expanded twice. What a band has expanded goes to the archive, on the host, in the order in which it was found.
// When the line comes to a band, those states in the archive that have its progress are put into the table before anything
// else. The archive is not needed where a measure is claimed to be monotone, and runs are not wanted; if only the first terms
// are, columns before that of the line are forgotten. A state that breaks the claim falls back behind the column, and is
// noticed.
//
// Memory. When a list is full it is put away: its states are dealt out by their progress into a few segments, and these
// are on the host, and beyond its memory on disk (shelf.hpp), until the line comes to them. States that are
// put away stay in the table until that is full: then it is built again from the lists. When the log is full, so that the
// band does not fit, it is split: it ends earlier, and states beyond its new end leave the log. Those that were
// expanded are in the archive, and the others wait. The next band is as wide as the last ones let one expect.
//   A band that is a single layer cannot end earlier, as all its states have the same progress. If it does not fit, layers are
// cut into strips: from then on some bits of a state's hash are the last digits of its progress. For the sweep that is a measure like
// any other, whose last term is not monotone: a band may be some strips of a layer, and steps to strips behind the line wait for
// another sweep, in which their strips come again. If a measure is claimed to be monotone, layers are its columns then.
//
// It ends, and has visited every state then. Every state that was found is in the log, in a list, in a segment or in the
// archive, and leaves these only for another of them, so that it comes to the log in the end unless it is expanded
// already. Each state is expanded at most once, as the archive knows it; a sweep that expands nothing finds nothing
// behind the line, so there are no more sweeps than states.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "gpu/shelf.hpp"
#include "gpu/workspace.hpp"

namespace tideline::gpu {

class SweptSpace : public Workspace {
 public:
  struct Options {
    DeviceSettings device = {};
    unsigned threads = 1;
    bool traces = false;
    bool shows_ends = false;
    std::filesystem::path folder = {};  ///< for what has no room in the memory of the host
    std::uint64_t host_bytes = 0;
    bool columns = true;
    unsigned own = 0;  ///< the number among options.device.cards
  };

  /// Throws as a workspace does. `look`: called after every launch that may have found something.
  SweptSpace(const System& system, ErrorSemantics errors, Watches watches, const Measure& measure,
             const Options& options, std::function<void()> look);

  std::uint64_t bytes() const override;

  /// Throws LimitReached.
  void insert(const std::vector<std::vector<std::byte>>& states);
  /// Goes on in the band until the host has something to do. Stop::complete: all of it is expanded.
  Stop expand();
  /// After Stop::table or Stop::log. Throws LimitReached.
  void make_room() { make_room(s_.margin); }
  void receive(const Mail& mail) override;
  /// All of the band is expanded, or the search ends.
  void leave_band();

  // From one band to the next. They throw LimitReached.
  void end_band();
  /// The least progress of states that wait for this sweep.
  std::optional<std::uint64_t> first_due() const;
  /// Others wait for the next one.
  bool has_later() const { return std::ranges::any_of(segments_, &Segment::later); }
  void begin_sweep();
  /// Where a band that begins there would best end.
  std::uint64_t choose_last(std::uint64_t first);
  /// `look_at_limits`: called now and then.
  void begin_band(std::uint64_t first, std::uint64_t last, const std::function<void()>& look_at_limits);
  std::uint64_t band_last() const { return s_.band_last; }
  /// States beyond that leave the band, and wait.
  void end_band_at(std::uint64_t last);
  /// False: they are cut already, or the measure leaves no room for that.
  bool cut_layers();
  bool cuts_layers() const { return s_.strip_bits != 0; }
  /// With the same values of the terms that are claimed to be monotone.
  std::uint64_t column(std::uint64_t progress) const {
    return column_shift_ >= 64 ? 0 : progress >> column_shift_;
  }

  /// The steps from this state of the log were taken by the host.
  void note_given_up(std::uint64_t number) { stepped_here_.push_back(archive_end_ + number - archived_); }

  /// States that break the measure's claim, as they have fallen back.
  std::vector<std::vector<std::byte>> breaking_claim() const;
  /// One that was expanded in this band.
  std::optional<Predecessor> predecessor_in_band(const std::vector<std::byte>& state);

  // Runs. Nothing may be inserted any more.
  /// States that were expanded and can be found again.
  std::uint64_t archived() const { return archive_end_; }
  /// A predecessor of a state among some of those that were expanded before number `bound`, and its number. Nothing: there
  /// is none from `bound` on, which is less than before.
  std::optional<Predecessor> predecessor_before(const std::vector<std::byte>& state, std::uint64_t& bound);

  std::uint64_t expanded() const { return archive_end_ + s_.cursor - archived_; }
  std::uint64_t stored() const { return s_.count + ahead() + behind(); }
  std::uint64_t stored_peak() const { return stored_peak_; }
  std::uint64_t fallen_back() const { return fallen_back_ + behind(); }
  const Shelf& shelf() const { return shelf_; }

 private:
  /// States that wait, with progress from `first` to `last`.
  struct Segment {
    std::uint64_t first = 0, last = 0, count = 0;
    std::vector<Shelf::Chunk> chunks = {};
    bool later = false;  ///< in the next sweep
  };
  /// States that are expanded: so many after `begin` others.
  struct Section {
    std::uint64_t first = 0, last = 0, begin = 0, count = 0;
    std::vector<Shelf::Chunk> chunks = {};
  };
  /// How many states the places on the device have room for.
  struct Sizes {
    std::uint64_t log = 0, ahead = 0, behind = 0, table = 0, slots = 0, piece = 0;
  };
  Sizes sizes(std::uint64_t room) const;
  std::uint64_t bytes_for(std::uint64_t room) const;
  void find_most_room();
  void set_room(std::uint64_t room);
  bool grow();

  std::uint64_t ahead() const { return s_.ahead_count - s_.ahead_base; }
  std::uint64_t behind() const { return s_.behind_count - s_.behind_base; }
  std::uint64_t in_table() const { return s_.count + s_.ahead_count + s_.behind_count + s_.skipped; }

  void make_room(std::uint64_t states);
  void clear_table();
  void rebuild_table();
  bool split();
  /// What stays of the states from `begin` to `end` of the log; it is moved to `to`. Others wait if they are not expanded.
  std::uint64_t keep_part(std::uint64_t begin, std::uint64_t end, std::uint64_t to, bool expanded);
  void put_away_ahead();
  void put_away_behind();
  void put_away(const Word* list, std::uint64_t count, bool later);

  void run_through(Mode mode, const Word* source, std::uint64_t count);
  std::vector<std::uint64_t> sample(const Word* list, std::uint64_t count);
  void deal(const Word* source, std::uint64_t count);
  void insert_words(const Word* words, std::uint64_t count, bool expanded);
  void insert_piece(std::uint64_t count, bool expanded);

  void note_width();
  void forget_columns_before(std::uint64_t first);
  void archive();
  std::uint64_t chunk_states() const { return shelf_.most_words() / code_.dense().words(); }
  bool needs_archive() const { return traces_ || !monotone_; }
  void recall();
  void sort_ahead(const std::function<void()>& look_at_limits);
  void load_segments(const std::function<void()>& look_at_limits);

  /// One of the first `count` states of a list, which begins with this number of the archive.
  std::optional<Predecessor> find_among(const Word* list, std::uint64_t count,
                                        const std::vector<std::byte>& state, std::uint64_t begin,
                                        std::uint64_t& found);

  std::function<void()> look_;
  bool traces_, monotone_;
  unsigned claimed_shift_, column_shift_;
  Shelf shelf_;
  std::uint64_t room_ = 0, most_room_ = 0, piece_ = 0;
  DeviceMemory table_, log_, ahead_, behind_, pieces_, measured_;
  std::uint64_t held_begin_ = 0, held_end_ = 0;  ///< of the list `ahead`, which still have to be sorted
  std::vector<Segment> segments_;
  std::vector<Section> sections_;
  std::uint64_t archive_end_ = 0;  ///< states that were expanded and have left the log, or been archived
  std::uint64_t archived_ = 0;     ///< of the log, those before are expanded and known to the archive
  std::vector<std::uint64_t> stepped_here_;  ///< by their numbers in the archive
  std::uint64_t width_ = 1;                  ///< of the band
  std::uint64_t fallen_back_ = 0, stored_peak_ = 0;
  std::uint64_t piece_of_run_ = ~std::uint64_t{0};  ///< where the piece begins that a run was looked for in
};

}  // namespace tideline::gpu
