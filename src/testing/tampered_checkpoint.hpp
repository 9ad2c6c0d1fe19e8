// For tests: a checkpoint as a stranger might write it. Its checksum is right, and something in it is not.
#pragma once

#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>

#include "store/checksum.hpp"

namespace tideline::test {

/// What is between the first line and the checksum, decompressed.
inline std::string content_of_checkpoint(const std::string& file) {
  const std::size_t begin = file.find('\n') + 1;
  std::string content;
  ZSTD_DCtx* const context = ZSTD_createDCtx();
  ZSTD_inBuffer in{file.data() + begin, file.size() - begin - sizeof(std::uint64_t), 0};
  for (bool more = true; more;) {
    char piece[1 << 12];
    ZSTD_outBuffer out{piece, sizeof piece, 0};
    more = ZSTD_decompressStream(context, &out, &in) != 0;
    content.append(piece, out.pos);
  }
  ZSTD_freeDCtx(context);
  return content;
}

/// The opposite; the first line is that of `file`.
inline std::string checkpoint_with(const std::string& file, const std::string& content) {
  std::string result = file.substr(0, file.find('\n') + 1);
  std::string packed(ZSTD_compressBound(content.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), content.data(), content.size(), 1));
  result += packed;
  const std::uint64_t sum = XXH3_64bits(result.data(), result.size());
  return result.append(reinterpret_cast<const char*>(&sum), sizeof sum);
}

/// Changes a few numbers, or takes some bytes out or puts some in. What comes first is left alone: it only says which run
/// this is.
inline void tamper(std::string& content, std::size_t first, std::mt19937_64& random) {
  const auto below = [&](std::uint64_t end) { return random() % end; };
  for (auto edits = 1 + below(3); edits != 0 && content.size() > first + 8; --edits) {
    const std::size_t at = first + below(content.size() - first - 8);
    const std::uint64_t numbers[] = {
        0, 1, below(256), below(70'000), ~std::uint64_t{0}, std::uint64_t{1} << below(64), random()};
    const std::uint64_t number = numbers[below(std::size(numbers))];
    switch (below(5)) {
      case 0:
        content[at] = static_cast<char>(number);
        break;
      case 1:
        std::memcpy(content.data() + at, &number, 4);
        break;
      case 2:
        std::memcpy(content.data() + at, &number, 8);
        break;
      case 3:
        content.erase(at, 1 + below(8));
        break;
      default:
        content.insert(at, 1 + below(8), static_cast<char>(number));
    }
  }
}

inline void tamper_with_checkpoint(const std::filesystem::path& file, std::size_t first, std::uint64_t seed) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::mt19937_64 random(seed);
  std::string content = content_of_checkpoint(text);
  tamper(content, std::min(first, content.size()), random);
  std::ofstream(file, std::ios::binary) << checkpoint_with(text, content);
}

}  // namespace tideline::test
