#include "logic/spot.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "logic/hoa.hpp"

extern char** environ;

namespace tideline {

namespace {

/// The formula with atoms p0, p1, ...: Spot reads these, whatever the original names are.
Ltl with_plain_atoms(const LtlPool& from, Ltl f, LtlPool& to) {
  if (from.op(f) == LtlOp::atom) return to.atom(fmt::format("p{}", from.atom_index(f)));
  std::vector<Ltl> operands;
  for (const Ltl operand : from.operands(f)) operands.push_back(with_plain_atoms(from, operand, to));
  if (operands.empty()) return to.constant(from.op(f) == LtlOp::true_);
  if (operands.size() == 1) return to.unary(from.op(f), operands[0]);
  if (operands.size() == 2) return to.binary(from.op(f), operands[0], operands[1]);
  return to.many(from.op(f), operands);
}

/// An end of a pipe, or a file; closed by the destructor.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  int get() const { return value_; }
  void close() {
    if (value_ >= 0) ::close(value_);
    value_ = -1;
  }

 private:
  int value_;
};

[[noreturn]] void fail(ErrorKind kind, const std::string& what) {
  throw Error(kind, fmt::format("translation by Spot: {}", what));
}

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

/// What the program writes to its standard output.
std::string output_of(std::vector<std::string> command) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail(ErrorKind::io, std::strerror(errno));
  Descriptor reading(ends[0]), writing(ends[1]);

  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, writing.get(), STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT)
    fail(ErrorKind::usage, fmt::format("{} is not installed (it is not in the PATH)", command[0]));
  if (error != 0) fail(ErrorKind::io, fmt::format("{} cannot be run: {}", command[0], std::strerror(error)));

  writing.close();
  std::string text = read_all(reading.get());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    fail(ErrorKind::io,
         fmt::format("{} failed{}", command[0],
                     WIFEXITED(status) ? fmt::format(" with exit code {}", WEXITSTATUS(status)) : ""));
  return text;
}

}  // namespace

Automaton translate_with_spot(LtlPool& pool, Ltl f, AutomatonKind kind) {
  LtlPool plain;
  const std::string formula = to_string(plain, with_plain_atoms(pool, f, plain));
  // All versions take -B for acceptance on states; --buchi leaves it on edges since Spot 2.10.
  const std::string text =
      output_of({"ltl2tgba", kind == AutomatonKind::buchi ? "-B" : "--tgba", "--hoaf", "-f", formula});
  Automaton result = read_hoa({"the output of ltl2tgba", text});
  if (kind == AutomatonKind::buchi) result = to_buchi(result);
  for (std::string& atom : result.atoms) {
    const std::size_t index =
        atom.size() > 1 ? std::strtoul(atom.c_str() + 1, nullptr, 10) : pool.atoms().size();
    if (index >= pool.atoms().size()) fail(ErrorKind::io, fmt::format("there is no atom {}", atom));
    atom = pool.atoms()[index].name;
  }
  result.name = to_string(pool, f);
  return result;
}

}  // namespace tideline
