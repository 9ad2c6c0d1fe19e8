// Drives a fuzz target where there is no libFuzzer: with every file of some folders as it is, and with a number of
// mutants of these files, the same ones in every run.
//
//   TARGET_fuzz MUTANTS FOLDER...
//
// It knows nothing of what the target has reached, so it finds less than libFuzzer. It needs neither clang nor a second build,
// so that what has failed once is tried by every `make check`, with sanitizers in `make asan`.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Input = std::vector<std::uint8_t>;

void try_out(const Input& input) {
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

std::vector<Input> files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.is_regular_file()) paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<Input> inputs;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return inputs;
}

class Mutator {
 public:
  explicit Mutator(const std::vector<Input>& seeds) : seeds_(seeds) {}

  /// One of the seeds with one to eight changes.
  Input next() {
    Input input = any_seed();
    for (std::size_t changes = below(8) + 1; changes > 0; --changes) change(input);
    return input;
  }

 private:
  static constexpr std::size_t longest_piece = 64, longest_input = 1 << 16;

  void change(Input& input) {
    const std::size_t at = below(input.size() + 1);
    const std::size_t left = std::min(input.size() - at, longest_piece);
    const auto place = input.begin() + static_cast<std::ptrdiff_t>(at);
    switch (below(6)) {
      case 0:  // a bit
        if (left != 0) input[at] ^= static_cast<std::uint8_t>(1u << below(8));
        break;
      case 1:  // a byte
        if (left != 0) input[at] = static_cast<std::uint8_t>(below(256));
        break;
      case 2:  // a piece is missing
        input.erase(place, place + static_cast<std::ptrdiff_t>(below(left + 1)));
        break;
      case 3:  // the end is missing
        if (below(8) == 0) input.erase(place, input.end());
        break;
      case 4:  // a piece is there twice
        insert(input, at, Input(place, place + static_cast<std::ptrdiff_t>(below(left + 1))));
        break;
      default: {  // a piece of another seed
        const Input& other = any_seed();
        const std::size_t from = below(other.size() + 1);
        const auto begin = other.begin() + static_cast<std::ptrdiff_t>(from);
        const std::size_t length = below(std::min(other.size() - from, longest_piece) + 1);
        insert(input, at, Input(begin, begin + static_cast<std::ptrdiff_t>(length)));
      }
    }
  }

  static void insert(Input& input, std::size_t at, const Input& piece) {
    if (input.size() + piece.size() <= longest_input)
      input.insert(input.begin() + static_cast<std::ptrdiff_t>(at), piece.begin(), piece.end());
  }

  const Input& any_seed() { return seeds_[below(seeds_.size())]; }
  // Not a distribution of the standard library: these differ from one library to the next.
  std::size_t below(std::size_t bound) { return random_() % bound; }

  const std::vector<Input>& seeds_;
  std::mt19937_64 random_{2026};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s MUTANTS FOLDER...\n", argv[0]);
    return 2;
  }
  // The first folder is the target's own corpus; the others are for any target.
  const std::vector<Input> own = files_in(argv[2]);
  std::vector<Input> seeds = own;
  for (int i = 3; i < argc; ++i)
    for (Input& input : files_in(argv[i])) seeds.push_back(std::move(input));
  for (const Input& input : seeds) try_out(input);
  Mutator mutator(own);
  for (long mutants = std::atol(argv[1]); mutants > 0; --mutants) try_out(mutator.next());
}
