// Thinned: a list that stays short however much is added to it. It keeps every item at first, then every
// second, every fourth and so on, so that what it has is spread evenly; and always the last one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace tideline {

template <class T>
class Thinned {
 public:
  static constexpr std::size_t usual_most = 2000;

  /// `most`: at least 2.
  explicit Thinned(std::size_t most = usual_most) : most_(most) {}

  void add(T item) {
    if (added_++ % stride_ != 0) {
      last_ = std::move(item);
      return;
    }
    if (kept_.size() + 1 == most_) {  // there must be room for the last one, too
      for (std::size_t i = 0; 2 * i < kept_.size(); ++i) kept_[i] = std::move(kept_[2 * i]);
      kept_.resize((kept_.size() + 1) / 2);
      stride_ *= 2;
      if ((added_ - 1) % stride_ != 0) {
        last_ = std::move(item);
        return;
      }
    }
    kept_.push_back(std::move(item));
    last_.reset();
  }

  std::vector<T> items() const {
    std::vector<T> all = kept_;
    if (last_) all.push_back(*last_);
    return all;
  }
  std::uint64_t added() const { return added_; }

 private:
  std::size_t most_;
  std::uint64_t stride_ = 1, added_ = 0;
  std::vector<T> kept_;
  std::optional<T> last_;  ///< that is not among them
};

}  // namespace tideline
