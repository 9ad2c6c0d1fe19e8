#include "program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tideline::test {

namespace {

[[noreturn]] void execute(const std::vector<std::string>& arguments) {
  std::vector<char*> argv{const_cast<char*>(TIDELINE_PROGRAM)};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

int wait_for_exit(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Appends what is there; false at the end.
bool read_some(int fd, std::string& text) {
  char buffer[4096];
  const ssize_t got = ::read(fd, buffer, sizeof buffer);
  if (got < 0 && errno == EINTR) return true;
  if (got <= 0) return false;  // a terminal whose other side is closed answers EIO
  text.append(buffer, static_cast<std::size_t>(got));
  return true;
}

struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() {
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  }
};

}  // namespace

Result run(const std::vector<std::string>& arguments, const RunOptions& options) {
  // The input is a file, so that a program that does not read it cannot block the test.
  std::FILE* input = std::tmpfile();
  if (!input) throw std::runtime_error("tmpfile");
  std::fwrite(options.input.data(), 1, options.input.size(), input);
  std::rewind(input);
  Pipe out, err;
  const pid_t pid = ::fork();
  if (pid < 0) throw std::runtime_error("fork");
  if (pid == 0) {
    ::dup2(::fileno(input), 0);
    ::dup2(options.stdout_path.empty() ? out.ends[1] : ::open(options.stdout_path.c_str(), O_WRONLY), 1);
    ::dup2(err.ends[1], 2);
    if (options.in_child) options.in_child();
    execute(arguments);
  }
  std::fclose(input);
  ::close(out.ends[1]);
  ::close(err.ends[1]);
  Result result;
  pollfd open[] = {{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}};
  while (open[0].fd >= 0 || open[1].fd >= 0) {
    ::poll(open, 2, -1);
    if (open[0].revents && !read_some(out.ends[0], result.out)) open[0].fd = -1;
    if (open[1].revents && !read_some(err.ends[0], result.err)) open[1].fd = -1;
    open[0].revents = open[1].revents = 0;
  }
  ::close(out.ends[0]);
  ::close(err.ends[0]);
  result.exit_code = wait_for_exit(pid);
  return result;
}

bool terminals_available() {
  int terminal = -1, side = -1;
  if (::openpty(&terminal, &side, nullptr, nullptr, nullptr) != 0) return false;
  ::close(terminal);
  ::close(side);
  return true;
}

OnTerminal::OnTerminal(const std::vector<std::string>& arguments, const TerminalOptions& options) {
  int side = -1;
  if (::openpty(&terminal_, &side, nullptr, nullptr, nullptr) != 0) throw std::runtime_error("openpty");
  ::fcntl(terminal_, F_SETFD, FD_CLOEXEC);
  Pipe out;
  if (options.width != 0) resize(options.width);
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("fork");
  if (pid_ == 0) {
    ::dup2(options.with_stdout ? side : out.ends[1], 1);
    ::dup2(options.with_stderr ? side : out.ends[1], 2);
    ::close(side);
    // Not those of whoever runs the tests.
    ::setenv("TERM", "xterm", 1);
    ::unsetenv("NO_COLOR");
    for (const std::string& setting : options.environment) ::putenv(const_cast<char*>(setting.c_str()));
    execute(arguments);
  }
  ::close(side);
  ::close(out.ends[1]);
  out_ = out.ends[0];
}

OnTerminal::~OnTerminal() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    wait_for_exit(pid_);
  }
  ::close(terminal_);
  ::close(out_);
}

bool OnTerminal::read_terminal() {
  return read_some(terminal_, seen_);
}

bool OnTerminal::wait_for(const std::string& text) {
  while (seen_.find(text) == std::string::npos)
    if (!read_terminal()) return false;
  return true;
}

void OnTerminal::resize(unsigned short width) {
  const winsize size{.ws_row = 24, .ws_col = width, .ws_xpixel = 0, .ws_ypixel = 0};
  ::ioctl(terminal_, TIOCSWINSZ, &size);
}

void OnTerminal::send(int signal) {
  ::kill(pid_, signal);
}

Result OnTerminal::finish() {
  Result result;
  while (read_terminal()) {
  }
  while (read_some(out_, result.out)) {
  }
  result.exit_code = wait_for_exit(pid_);
  pid_ = -1;
  result.err = seen_;
  return result;
}

Folder::Folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "tideline-cli-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) throw std::runtime_error("mkdtemp");
  path_ = pattern;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string Folder::path(const std::string& name) const {
  return path_ + "/" + name;
}

std::string Folder::write(const std::string& name, const std::string& text) const {
  std::ofstream(path(name), std::ios::binary) << text;
  return path(name);
}

std::string Folder::read(const std::string& name) const {
  std::ostringstream text;
  text << std::ifstream(path(name), std::ios::binary).rdbuf();
  return text.str();
}

std::vector<std::string> Folder::files() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

const char* const peterson = R"(//@ property mutex expect holds invariant !(P_0.CS && P_1.CS)
//@ property alone expect violated invariant !P_1.CS
//@ property together expect violated reach P_0.CS && P_1.CS
//@ property quiet expect holds deadlock
byte flag[2];
byte turn = 0;
process P_0 {
  state NCS, want, wait, CS;
  init NCS;
  trans
    NCS -> want { effect flag[0] = 1; },
    want -> wait { effect turn = 1; },
    wait -> CS { guard flag[1] == 0 || turn == 0; },
    CS -> NCS { effect flag[0] = 0; };
}
process P_1 {
  state NCS, want, wait, CS;
  init NCS;
  trans
    NCS -> want { effect flag[1] = 1; },
    want -> wait { effect turn = 0; },
    wait -> CS { guard flag[0] == 0 || turn == 1; },
    CS -> NCS { effect flag[1] = 0; };
}
system async;
)";

const char* const overflow = R"(byte x = 253;
process P {
  state s;
  init s;
  trans
    s -> s { effect x = x + 1; };
}
system async;
)";

const char* const mixed_up = R"(byte a = 1, b = 2, c = 3, d = 5;
process P {
  state s;
  init s;
  trans
    s -> s { effect a = (a * b + c + d) % 256; }, s -> s { effect b = (b * c + d + a) % 256; },
    s -> s { effect c = (c * d + a + b) % 256; }, s -> s { effect d = (d * a + b + c) % 256; };
}
system async;
)";

const char* const endless = R"(byte a, b, c, d, e, f, g, h;
process P {
  state s;
  init s;
  trans
    s -> s { guard a < 255; effect a = a + 1; }, s -> s { guard b < 255; effect b = b + 1; },
    s -> s { guard c < 255; effect c = c + 1; }, s -> s { guard d < 255; effect d = d + 1; },
    s -> s { guard e < 255; effect e = e + 1; }, s -> s { guard f < 255; effect f = f + 1; },
    s -> s { guard g < 255; effect g = g + 1; }, s -> s { guard h < 255; effect h = h + 1; };
}
system async;
)";

const char* const stuck = R"(byte x;
process P {
  state s, t;
  init s;
  trans
    s -> t { effect x = 7; },
    t -> s { guard x == 9; };
}
system async;
)";

std::string switches(int count) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text +=
        "process S" + std::to_string(i) + " { state off, on; init off; trans off -> on {}, on -> off {}; }\n";
  return text + "system async;\n";
}

}  // namespace tideline::test
