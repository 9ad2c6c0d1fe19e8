#include "store/postponed_roots.hpp"

#include <algorithm>
#include <utility>

namespace tideline {

PostponedRoots::PostponedRoots(const std::filesystem::path& folder, std::size_t record_bytes)
    : record_bytes_(record_bytes),
      due_file_(nameless_file(folder, "tideline-postponed")),
      later_file_(nameless_file(folder, "tideline-postponed")) {}

bool PostponedRoots::take_from(Layers& layers, std::size_t least) {
  const std::size_t segments = later_.size();
  const std::uint64_t written = written_;
  int error = 0;
  layers.for_each_with_later_roots_alone(least, [&](std::uint64_t progress, const LayerTable& roots) {
    if (error != 0) return;
    later_.push_back({progress, written_ + pending_.size(), roots.size()});
    for (StateId id = 0; id < roots.size(); ++id) {
      const std::byte* const record = roots.record(id);
      pending_.insert(pending_.end(), record, record + record_bytes_);
      if (pending_.size() >= segment_bytes_at_a_time && error == 0) error = write_pending();
    }
  });
  if (error == 0) error = write_pending();
  if (error != 0) {  // what is in the file from here on is written again, or never read
    later_.resize(segments);
    written_ = written;
    pending_.clear();
    return false;
  }
  layers.forget_later_roots_alone(least);
  return true;
}

void PostponedRoots::begin_sweep() {
  forget_due();
  std::swap(due_, later_);
  std::swap(due_file_, later_file_);
  later_file_.truncate(0);
  written_ = 0;
  std::ranges::stable_sort(due_, {}, &LayerSegment::progress);
}

int PostponedRoots::write_pending() {
  if (const int error = later_file_.write(pending_, written_)) return error;
  written_ += pending_.size();
  pending_.clear();
  return 0;
}

}  // namespace tideline
