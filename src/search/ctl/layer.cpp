#include "search/ctl/layer.hpp"

#include "model/error.hpp"
#include "store/packed_number.hpp"

namespace tideline {

namespace {

enum Kind : std::uint64_t { same_layer, later_layer, persistent_state, kinds };

}  // namespace

void CtlLayer::clear() {
  initial = 0;
  roots.clear();
  first.assign(1, 0);
  edges.clear();
  fails.clear();
  atoms.clear();
}

void encode(const CtlLayer& layer, std::vector<std::byte>& bytes) {
  for (const std::uint64_t number : {layer.number, layer.first_reference, layer.initial, layer.size()})
    put_number(bytes, number);
  put_number(bytes, layer.roots.size());
  for (const std::uint32_t root : layer.roots) put_number(bytes, root);
  bytes.insert(bytes.end(), layer.atoms.begin(), layer.atoms.end());
  CtlLayer::Edge before{layer.number, 0};  // the last one to a later layer: the next one is often near it
  for (std::uint32_t node = 0; node < layer.size(); ++node) {
    const auto edges = layer.edges_of(node);
    put_number(bytes, edges.size() << 1 | (layer.fails[node] ? 1 : 0));
    for (const CtlLayer::Edge& edge : edges) {
      if (edge.place == CtlLayer::here) {
        put_number(bytes, folded(std::uint64_t{edge.index} - node) * kinds + same_layer);
      } else if (edge.place == CtlLayer::persistent) {
        put_number(bytes, std::uint64_t{edge.index} * kinds + persistent_state);
      } else {
        put_number(bytes, folded(std::uint64_t{edge.place} - before.place) * kinds + later_layer);
        put_number(bytes, folded(std::uint64_t{edge.index} - before.index));
        before = edge;
      }
    }
  }
}

void decode(std::span<const std::byte> bytes, CtlLayer& layer) {
  const auto next = [&] { return static_cast<std::uint32_t>(get_number(bytes)); };
  layer.clear();
  layer.number = next();
  layer.first_reference = next();
  layer.initial = next();
  const std::uint32_t size = next();
  for (std::uint32_t roots = next(); roots != 0; --roots) layer.roots.push_back(next());
  if (bytes.size() < size * layer.atom_bytes)
    throw Error(ErrorKind::io, "a layer is damaged: it ends too early");
  const auto atoms = bytes.first(size * layer.atom_bytes);
  layer.atoms.assign(atoms.begin(), atoms.end());
  bytes = bytes.subspan(atoms.size());
  CtlLayer::Edge before{layer.number, 0};
  for (std::uint32_t node = 0; node < size; ++node) {
    const std::uint64_t head = get_number(bytes);
    layer.fails.push_back((head & 1) != 0);
    for (std::uint64_t i = 0; i < head >> 1; ++i) {
      const std::uint64_t number = get_number(bytes);
      const std::uint64_t value = number / kinds;
      switch (number % kinds) {
        case same_layer:
          layer.edges.push_back({CtlLayer::here, static_cast<std::uint32_t>(node + unfolded(value))});
          break;
        case persistent_state:
          layer.edges.push_back({CtlLayer::persistent, static_cast<std::uint32_t>(value)});
          break;
        default:
          before.place += static_cast<std::uint32_t>(unfolded(value));
          before.index += static_cast<std::uint32_t>(unfolded(get_number(bytes)));
          layer.edges.push_back(before);
      }
    }
    layer.first.push_back(layer.edges.size());
  }
}

}  // namespace tideline
