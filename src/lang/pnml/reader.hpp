// Reader for PNML (ISO/IEC 15909-2, the 2009 grammar): makes a Net, or a coloured net to be unfolded.
//
// The text is read as a stream: places, transitions and arcs are all that is kept of it, with ids turned into
// numbers at once. Only the terms of a coloured net become trees, which are read once its declarations are
// known. docs/petri-nets.md says what is read and how.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lang/diagnostics.hpp"
#include "lang/pnml/net.hpp"

namespace tideline::pnml {

/// An element of a term and what is inside, without text.
struct Tree {
  std::string tag;
  std::vector<std::pair<std::string, std::string>> attributes = {};
  std::vector<Tree> children = {};
  SourcePoint where = {};

  /// nullptr when there is none.
  const std::string* attribute(std::string_view name) const;
};

inline constexpr std::size_t deepest_tree = 200;
inline constexpr std::size_t most_tree_nodes = 4'000'000;

enum class ArcKind : std::uint8_t { normal, test, inhibitor, reset };

/// The colours of a net whose places and transitions are in a Net (without arcs and tokens).
struct Colours {
  struct ColouredArc {
    PlaceId place = 0;
    TransitionId transition = 0;
    bool produces = false;
    ArcKind kind = ArcKind::normal;
    SourcePoint where = {};
    std::optional<Tree> inscription = {};
  };
  std::vector<Tree> declarations = {};
  std::vector<std::optional<Tree>> types = {};     ///< by place
  std::vector<std::optional<Tree>> markings = {};  ///< by place
  std::vector<std::optional<Tree>> guards = {};    ///< by transition
  std::vector<ColouredArc> arcs = {};
};

struct Reading {
  Net net;
  std::optional<Colours> colours;         ///< of a coloured net
  std::vector<Diagnostic> warnings = {};  ///< what was ignored
};

/// Reads a text. Throws Error(input).
Reading read_pnml(const SourceText& source);

}  // namespace tideline::pnml
