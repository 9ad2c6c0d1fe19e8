// ReducedGraph: a graph of a System that leaves out steps which are not needed, or one that leaves out none.
//
// Both are one type, so that searches are compiled once; a graph without a reduction costs a test a state.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "model/layout.hpp"
#include "model/step.hpp"
#include "reduce/stubborn.hpp"

namespace tideline {

/// `G` finds enabled actions and takes them: a Machine.
template <class G>
class ReducedGraph {
 public:
  /// Without `sets` nothing is left out.
  ReducedGraph(G graph, std::shared_ptr<const por::StubbornSets> sets) : graph_(std::move(graph)) {
    if (sets && !sets->is_useless()) set_.emplace(std::move(sets));
  }

  const System& system() const { return graph_.system(); }
  const Layout& layout() const { return graph_.layout(); }
  std::size_t state_size() const { return graph_.state_size(); }

  template <class Sink>
  void initial(Sink&& sink) {
    graph_.initial(sink);
  }

  template <class Sink>
  void successors(const std::byte* state, Sink&& sink) {
    if (!set_) {
      graph_.successors(state, sink);
      return;
    }
    enabled_.clear();
    errors_.clear();
    graph_.enabled(state, [&](ActionId action, ModelErrorKind error) {
      enabled_.push_back(action);
      if (error != ModelErrorKind::none) errors_.push_back({action, error});
    });
    needed_ = enabled_;
    if (!set_->reduce(state, needed_)) {
      for (const ActionId action : enabled_) graph_.take(state, action, error_of(action), sink);
      return;
    }
    bool all_go_on = true;
    for (const ActionId action : needed_) {
      graph_.take(state, action, error_of(action), [&](const Step& step) {
        all_go_on &= step.state != nullptr;
        sink(step);
      });
    }
    // A run that goes on without the one that fails here must not be lost.
    if (!all_go_on) {
      rest(state, sink);
      needed_ = enabled_;
      set_->take_all();
    }
  }

  /// The steps that the last call of successors() left out; `state` is the same.
  template <class Sink>
  void rest(const std::byte* state, Sink&& sink) {
    auto needed = needed_.begin();  // a part of enabled_, in the same order
    for (const ActionId action : enabled_) {
      if (needed != needed_.end() && *needed == action)
        ++needed;
      else
        graph_.take(state, action, error_of(action), sink);
    }
  }

 private:
  ModelErrorKind error_of(ActionId action) const {
    for (const auto& [failing, error] : errors_)
      if (failing == action) return error;
    return ModelErrorKind::none;
  }

  G graph_;
  std::optional<por::StubbornSet> set_;
  std::vector<ActionId> enabled_, needed_;
  std::vector<std::pair<ActionId, ModelErrorKind>> errors_;  ///< of guards without a value
};

}  // namespace tideline
