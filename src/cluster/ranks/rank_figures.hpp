// What a search by many ranks has cost, of one rank or of all of them together.
#pragma once

#include <cstdint>

namespace tideline::cluster {

struct RankFigures {
  std::uint64_t table_bytes = 0, batches = 0, batch_bytes = 0;

  void add(const RankFigures& other) {
    table_bytes += other.table_bytes;
    batches += other.batches;
    batch_bytes += other.batch_bytes;
  }
  void archive(auto& file) { file(table_bytes, batches, batch_bytes); }
};

}  // namespace tideline::cluster
