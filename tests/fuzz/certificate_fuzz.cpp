// libFuzzer target: any certificate is accepted or refused. The input is either the bytes of one, or, after a first byte
// of 1, the frames of one without what stands in a fuzzer's way: they are compressed and get their checksums here.
#include <zstd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "bind/selection.hpp"
#include "bytes_in_memory.hpp"
#include "certify.hpp"
#include "lang/lang.hpp"

namespace {

using namespace tideline;
using Bytes = std::vector<std::byte>;

struct Case {
  Model model =
      read_model({"fuzz.dve",
                  "byte n;\nprocess P { state a, b; init a; trans a -> b { guard n < 3; effect n = n + 1; },"
                  " b -> a { }; }\nprocess Q { state c; init c; trans c -> c { effect n = 0; }; }\n"
                  "system async;\n"});
  std::vector<Property> properties =
      bind_texts(model.system, {{.kind = PropertyKind::deadlock},
                                {.kind = PropertyKind::invariant, .text = "n <= 3"},
                                {.kind = PropertyKind::ltl, .text = "G F true"},
                                {.kind = PropertyKind::ctl, .text = "AG EF \"n == 0\""}});
};

void append(Bytes& to, const void* from, std::size_t size) {
  const auto* const bytes = static_cast<const std::byte*>(from);
  to.insert(to.end(), bytes, bytes + size);
}

/// Frames: kind, states, bytes that are not compressed, two bytes for the length of the rest, the rest.
Bytes assembled(std::span<const std::byte> input) {
  Bytes file;
  append(file, certificate::format_line.data(), certificate::format_line.size());
  for (std::uint64_t number = 0; input.size() >= 5; ++number) {
    const auto byte = [&](std::size_t i) { return std::to_integer<std::uint32_t>(input[i]); };
    certificate::FrameHeader header{.kind = static_cast<certificate::FrameKind>(byte(0)), .records = byte(1)};
    const std::size_t length = std::min<std::size_t>(byte(3) | byte(4) << 8, input.size() - 5);
    const auto content = input.subspan(5, length);
    const std::size_t plain = std::min<std::size_t>(byte(2), length);
    Bytes stored(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(plain));
    if (header.kind < certificate::FrameKind::end) {
      Bytes packed(ZSTD_compressBound(length - plain));
      packed.resize(ZSTD_compress(packed.data(), packed.size(), content.data() + plain, length - plain, 1));
      append(stored, packed.data(), packed.size());
    }
    header.raw_bytes = static_cast<std::uint32_t>(length - plain);
    header.stored_bytes = static_cast<std::uint32_t>(stored.size());
    Bytes frame;
    append(frame, &header, sizeof header);
    append(frame, stored.data(), stored.size());
    header.checksum = XXH3_64bits_withSeed(frame.data() + 8, frame.size() - 8, number);
    std::memcpy(frame.data(), &header.checksum, sizeof header.checksum);
    append(file, frame.data(), frame.size());
    input = input.subspan(5 + length);
  }
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Case each;
  const auto input = std::as_bytes(std::span(data, size));
  Bytes file = size > 0 && data[0] == 1 ? assembled(input.subspan(1)) : Bytes(input.begin(), input.end());
  try {
    const certify::CertificateReader reader(std::make_unique<certify::BytesInMemory>(std::move(file)));
    for (const Property& property : each.properties) try {
        certify::certify(reader, each.model, {property}, ErrorSemantics::stop, false,
                         {.memory_bytes = 1 << 20});
      } catch (const certify::Refused&) {
      }
  } catch (const certify::Refused&) {
  }
  return 0;
}
