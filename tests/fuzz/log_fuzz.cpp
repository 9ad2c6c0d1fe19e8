// libFuzzer target: any blocks are those of a log or of layers on disk, or refused with an Error. The checksums, which stand in
// a fuzzer's way, are made here. The input: a byte, 0 for a log, and for each block how many records it says it has (a byte),
// the length of its content (two bytes) and the content.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <span>

#include "accepted_or_refused.hpp"
#include "store/block_file.hpp"
#include "store/record_file.hpp"
#include "store/trace_log.hpp"
#include "testing/scratch.hpp"

namespace {

using namespace tideline;

template <class File>
void read_all(const std::filesystem::path& file, const FilePosition& end) {
  File opened = File::reopen(file, end);
  for (std::uint64_t number = 0; number < opened.size(); ++number) (void)opened.read(number);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const bool is_log = data[0] == 0;
  const test::Scratch scratch;
  BlockFile blocks(is_log ? "trace log" : "layers file", {scratch.parent(), true});
  auto input = std::as_bytes(std::span(data, size)).subspan(1);
  while (input.size() >= 3) {
    const auto byte = [&](std::size_t i) { return std::to_integer<std::size_t>(input[i]); };
    const std::size_t length = std::min(byte(1) | byte(2) << 8, input.size() - 3);
    blocks.append(byte(0), input.subspan(3, length));
    input = input.subspan(3 + length);
  }
  const FilePosition end = blocks.sync();
  const auto read = [&] {
    if (is_log)
      read_all<TraceLog>(blocks.file(), end);
    else
      read_all<RecordFile>(blocks.file(), end);
  };
  fuzz::accepted_or_refused(read, {ErrorKind::io});
  return 0;
}
