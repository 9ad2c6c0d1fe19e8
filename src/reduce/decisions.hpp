// Decisions: which enabled actions were enough, for all states that answer the same questions alike.
//
// What a stubborn set has of the enabled actions follows from these and from the answers to the questions that were asked
// while it was closed: the truth of a condition, the value of a slot. Which question comes next follows from the answers
// before. So for each list of enabled actions there is a tree of questions, and another state goes down along its own
// answers. Where it comes to an end of the tree the set is known, in the time of a few dozen looks at the state. Where it
// leaves the tree, its set is closed and the tree gets another branch. The sets are the same ones with it and without.
//
// A way down that nobody has left yet lies in memory in the order in which it is gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "model/system.hpp"

namespace tideline::por {

/// A condition, or a slot: closing.hpp numbers them.
using Question = std::uint32_t;

struct Answer {
  Question question = 0;
  std::int32_t value = 0;
};

class Decisions {
 public:
  struct Choice {
    bool is_reduced = false, is_complete = false;
    std::uint32_t first = 0, size = 0;  ///< of its places
  };

  explicit Decisions(Question questions) : leaf_(questions) {}

  /// What was found for these actions and these answers: answer(Question) -> std::int32_t. Nothing: it has to be
  /// found, and remember() to be called.
  template <class AnswerQuestion>
  const Choice* find(std::span<const ActionId> enabled, const AnswerQuestion& answer) {
    ++calls_;
    if (!pays_) return nullptr;
    depth_ = 0;
    last_ = no_node;
    const auto [root, is_new] = roots_.try_emplace(hash_of(enabled));
    if (!is_new && !is_list(root->second, enabled)) {
      root_ = nullptr;  // another list has the same hash: such a one is not remembered
      return nullptr;
    }
    if (is_new) root->second = add_list(enabled);
    root_ = &root->second;
    std::uint32_t at = root_->node;
    while (at != no_node) {
      if (nodes_[at].question == leaf_) {
        ++hits_;
        return &choices_[static_cast<std::uint32_t>(nodes_[at].answer)];
      }
      const std::int32_t given = answer(nodes_[at].question);
      while (nodes_[at].answer != given) {
        last_ = at;
        at = nodes_[at].other;
        if (at == no_node) return nullptr;
      }
      ++at;
      ++depth_;
    }
    return nullptr;
  }

  /// Adds what find() did not know: all answers in the order of the questions, and which places in the list of enabled
  /// actions are kept.
  void remember(std::span<const Answer> answers, bool is_reduced, bool is_complete,
                std::span<const std::uint32_t> places);

  std::span<const std::uint32_t> places(const Choice& choice) const {
    return {places_.data() + choice.first, choice.size};
  }

 private:
  static constexpr std::uint32_t no_node = ~std::uint32_t{0};

  /// If the answer is another one, `other` goes on with the same question; else the next node does with the next one.
  struct Node {
    Question question = 0;  ///< leaf_: none is left, and `answer` is the number of the choice
    std::int32_t answer = 0;
    std::uint32_t other = no_node;
  };
  struct Root {
    std::uint32_t first = 0, size = 0;  ///< the actions, in lists_
    std::uint32_t node = no_node;
  };

  static std::uint64_t hash_of(std::span<const ActionId> enabled);
  bool is_list(const Root& root, std::span<const ActionId> enabled) const;
  Root add_list(std::span<const ActionId> enabled);
  void forget();

  Question leaf_;
  std::unordered_map<std::uint64_t, Root> roots_;  ///< by the hash of the enabled actions
  std::vector<ActionId> lists_;
  std::vector<Node> nodes_;
  std::vector<Choice> choices_;
  std::vector<std::uint32_t> places_;
  /// Where the last find() has left the tree: after so many answers, at the last of the nodes with that question, or
  /// before any node.
  Root* root_ = nullptr;
  std::uint32_t last_ = no_node;
  std::size_t depth_ = 0;
  std::uint64_t calls_ = 0, hits_ = 0;
  bool pays_ = true;
};

}  // namespace tideline::por
