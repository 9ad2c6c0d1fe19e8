// Exchange: the parts of a search on several devices, and what they have found for each other.
//
// What a part finds that belongs to another one goes to a list for that one, without a look whether it is known. Between
// two launches each part fetches a piece of what is its own from the lists of the others. No list is emptied before all of
// them have been fetched.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "gpu/workspace.hpp"
#include "run/team.hpp"

namespace tideline::gpu {

template <class Part>
std::vector<Workspace*> pointers_to(const std::vector<std::unique_ptr<Part>>& parts) {
  std::vector<Workspace*> pointers;
  for (const auto& part : parts) pointers.push_back(part.get());
  return pointers;
}

class Exchange {
 public:
  explicit Exchange(std::vector<Workspace*> parts);

  /// Calls work(part) for each of them, for all at the same time.
  void run(const std::function<void(unsigned)>& work) { team_.run(work); }
  /// Something is in a list.
  bool has_mail() const;
  /// A piece for each: what is found on the way has to be looked at before there is more.
  void deliver();

 private:
  std::vector<Workspace*> parts_;
  std::vector<std::vector<std::uint64_t>> taken_;  ///< how much of a part's list for another one that has
  Team team_;
};

}  // namespace tideline::gpu
