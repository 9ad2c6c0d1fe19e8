// Checkpoint files: what is written is read, whatever it is; damage is noticed; the old file stays until the
// new one is complete.
#include "store/checkpoint.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

#include "model/error.hpp"
#include "store/layers.hpp"
#include "testing/tables.hpp"
#include "testing/tampered_checkpoint.hpp"

namespace tideline {
namespace {

using namespace test;

class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tideline-checkpoint-XXXXXX").string();
    if (!::mkdtemp(pattern.data())) throw std::runtime_error("mkdtemp");
    folder_ = pattern;
  }
  ~Scratch() { std::filesystem::remove_all(folder_); }
  std::filesystem::path file() const { return folder_ / "checkpoint"; }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }
  std::string read() const {
    std::ostringstream text;
    text << std::ifstream(file(), std::ios::binary).rdbuf();
    return text.str();
  }
  void write(const std::string& text) const { std::ofstream(file(), std::ios::binary) << text; }

 private:
  std::filesystem::path folder_;
};

/// One of everything.
struct Parts {
  std::uint8_t number = 0;
  double fraction = 0;
  bool flag = false;
  std::string text;
  std::vector<std::uint64_t> numbers;
  std::vector<std::string> texts;
  std::vector<bool> flags;
  std::optional<std::string> maybe;

  bool operator==(const Parts&) const = default;
  void archive(auto& file) {
    file(number, fraction, flag, text, numbers, texts);
    file(flags, maybe);
  }
};

Parts arbitrary_parts() {
  Parts parts;
  const auto fill = [](auto& part) { part = *rc::gen::arbitrary<std::decay_t<decltype(part)>>(); };
  fill(parts.number);
  fill(parts.fraction);
  fill(parts.flag);
  fill(parts.text);
  fill(parts.numbers);
  fill(parts.texts);
  fill(parts.flags);
  if (*rc::gen::arbitrary<bool>()) parts.maybe = *rc::gen::arbitrary<std::string>();
  return parts;
}

RC_GTEST_PROP(Checkpoint, ReadsWhatWasWritten, ()) {
  const Scratch scratch;
  Parts parts = arbitrary_parts();
  // Much or little, so that buffers of any size are filled and refilled.
  std::vector<std::uint64_t> many(*rc::gen::element<std::size_t>(0, 1, 1000, 100'000));
  std::uint64_t value = 1;
  for (std::uint64_t& element : many) element = value = value * 6364136223846793005u + 1;
  {
    CheckpointWriter writer(scratch.file());
    writer(parts, many, parts);
    writer.commit();
  }
  Parts first = arbitrary_parts(), second;
  std::vector<std::uint64_t> read;
  CheckpointReader reader(scratch.file());
  reader(first, read, second);
  reader.require_end();
  RC_ASSERT(first == parts);
  RC_ASSERT(second == parts);
  RC_ASSERT(read == many);
  RC_ASSERT_THROWS_AS(reader(value), Error);
}

RC_GTEST_PROP(Checkpoint, NoticesDamage, ()) {
  const Scratch scratch;
  std::vector<std::uint64_t> numbers = *rc::gen::arbitrary<std::vector<std::uint64_t>>();
  {
    CheckpointWriter writer(scratch.file());
    writer(numbers);
    writer.commit();
  }
  std::string text = scratch.read();
  const auto place = *rc::gen::inRange<std::size_t>(0, text.size());
  switch (*rc::gen::inRange(0, 3)) {
    case 0:
      text[place] = static_cast<char>(text[place] ^ 1 << *rc::gen::inRange(0, 8));
      break;
    case 1:
      text.resize(place);
      break;
    default:
      text.insert(place, 1, *rc::gen::arbitrary<char>());
  }
  scratch.write(text);
  RC_ASSERT_THROWS_AS(CheckpointReader(scratch.file()), Error);
}

RC_GTEST_PROP(Checkpoint, WhatAStrangerWritesIsRefusedOrRead, ()) {
  const Scratch scratch;
  Parts parts = arbitrary_parts();
  {
    CheckpointWriter writer(scratch.file());
    writer(parts);
    writer.commit();
  }
  tamper_with_checkpoint(scratch.file(), 0, *rc::gen::arbitrary<std::uint64_t>());
  try {
    CheckpointReader reader(scratch.file());
    Parts other;
    reader(other);
    reader.require_end();
  } catch (const Error& error) {
    RC_ASSERT(error.kind() == ErrorKind::io);
  }
}

TEST(Checkpoint, SaysWhatIsWrong) {
  const Scratch scratch;
  const auto message = [&] {
    try {
      CheckpointReader reader(scratch.file());
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message().find("cannot open the checkpoint"), std::string::npos);
  scratch.write("#!/bin/sh\n");
  EXPECT_NE(message().find("it does not begin like one"), std::string::npos);
  scratch.write("tideline checkpoint 99\nand so on");
  EXPECT_NE(message().find("is of another version"), std::string::npos);
  scratch.write("tideline checkpoint 5\nnonsense and more");
  EXPECT_NE(message().find("its checksum is wrong"), std::string::npos);
}

TEST(Checkpoint, TheOldOneStaysUntilTheNewOneIsWhole) {
  const Scratch scratch;
  std::uint32_t number = 1;
  {
    CheckpointWriter writer(scratch.file());
    writer(number);
    EXPECT_FALSE(std::filesystem::exists(scratch.file()));
    writer.commit();
  }
  const std::string old = scratch.read();
  {
    CheckpointWriter writer(scratch.file());
    writer(++number);
    EXPECT_EQ(scratch.read(), old);
  }
  EXPECT_EQ(scratch.read(), old);
  EXPECT_EQ(scratch.files(), 1u);  // what was not committed is gone
  {
    CheckpointWriter writer(scratch.file());
    writer(++number);
    writer.commit();
  }
  CheckpointReader reader(scratch.file());
  reader(number = 0);
  EXPECT_EQ(number, 3u);
  EXPECT_EQ(scratch.files(), 1u);
}

// Tables of any size: numbers stay what they are, states are found, and more can be added.
RC_GTEST_PROP(Checkpoint, LayersAreTheSameAfterwards, ()) {
  constexpr std::size_t bytes = 16;
  const Scratch scratch;
  Layers layers(bytes, 3, 5);
  const auto count = *rc::gen::inRange<std::uint32_t>(0, 2000);
  const auto spread = *rc::gen::inRange<std::uint32_t>(1, 20);
  const auto hash = [](const std::string& state) { return StateHash{}(bytes_of(state), bytes); };
  for (std::uint32_t n = 0; n < count; ++n) {
    const std::string state = state_of(n, bytes);
    Layer& layer = layers.at(n % spread);
    const bool persistent = n % 3 == 0;
    const Insertion insertion = persistent ? layers.insert_persistent(layer, bytes_of(state), hash(state))
                                           : layers.insert_passing(layer, bytes_of(state), hash(state));
    LayerTable& table = persistent ? layer.persistent : layer.passing;
    std::memcpy(table.extra(insertion.id), &n, 3);
    if (persistent) layer.roots.push_back(insertion.id);
    if (n % spread % 2 == 0) layers.make_due(n % spread, layer);
  }
  layers.at(0);
  layers.forget_passing(0);
  {
    CheckpointWriter writer(scratch.file());
    writer(layers);
    writer.commit();
  }
  Layers read(bytes, 3, 5);
  CheckpointReader reader(scratch.file());
  reader(read);
  reader.require_end();

  RC_ASSERT(read.stored() == layers.stored());
  RC_ASSERT(read.persistent() == layers.persistent());
  RC_ASSERT(read.first_due() == layers.first_due());
  for (std::uint64_t progress = 0; progress < spread; ++progress)
    RC_ASSERT(read.due_above(progress) == layers.due_above(progress));
  RC_ASSERT(read.all().size() == layers.all().size());
  for (auto& [progress, layer] : layers.all()) {
    Layer* const other = read.find(progress);
    RC_ASSERT(other != nullptr);
    RC_ASSERT(other->roots == layer.roots);
    RC_ASSERT(other->expanded == layer.expanded);
    RC_ASSERT(other->due == layer.due);
    const auto compare = [&](const LayerTable& a, const LayerTable& b, std::size_t extra) {
      RC_ASSERT(a.size() == b.size());
      for (StateId id = 0; id < a.size(); ++id) {
        RC_ASSERT(std::memcmp(a.record(id), b.record(id), bytes + extra) == 0);
        RC_ASSERT(b.find(a.record(id), StateHash{}(a.record(id), bytes)) == id);
      }
    };
    compare(layer.passing, other->passing, 3);
    compare(layer.persistent, other->persistent, 5);
    const std::string another = state_of(count + 1, bytes);
    const StateId next = other->passing.size();
    RC_ASSERT(read.insert_passing(*other, bytes_of(another), hash(another)).id == next);
    RC_ASSERT(std::to_integer<int>(*other->passing.extra(next)) == 0);
  }
}

TEST(Checkpoint, LayersOfOtherStatesAreRefused) {
  const Scratch scratch;
  Layers layers(16, 0, 0), others(16, 4, 0);
  CheckpointWriter writer(scratch.file());
  writer(layers);
  writer.commit();
  CheckpointReader reader(scratch.file());
  EXPECT_THROW(reader(others), Error);
}

}  // namespace
}  // namespace tideline
