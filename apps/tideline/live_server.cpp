#include "live_server.hpp"

#include <arpa/inet.h>
#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>

#include "model/error.hpp"

namespace tideline::app {

namespace {

using namespace std::chrono_literals;

constexpr auto watched_for = 5s;       ///< a page asks every second or so
constexpr auto longest_wait = 2500ms;  ///< for the last data to be fetched

/// 128 random bits in hexadecimal.
std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw Error(ErrorKind::io,
                fmt::format("no random numbers for --progress-port: {}", std::strerror(errno)));
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

/// Takes as long for every wrong token.
bool same_text(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  return difference == 0;
}

/// Whether a Host header names this machine by a name that no other server can give it.
bool is_this_machine(const char* host) {
  if (!host) return false;
  const std::string_view name(host);
  const std::string_view without_port = name.substr(0, name.rfind(':'));
  return without_port == "127.0.0.1" || without_port == "localhost";
}

void send(evhttp_request* request, int code, const char* reason, const char* type, const std::string& text) {
  evkeyvalq* headers = evhttp_request_get_output_headers(request);
  evhttp_add_header(headers, "Content-Type", type);
  evhttp_add_header(headers, "Cache-Control", "no-store");
  evhttp_add_header(headers, "X-Content-Type-Options", "nosniff");
  evhttp_add_header(headers, "Referrer-Policy", "no-referrer");
  evhttp_add_header(
      headers, "Content-Security-Policy",
      "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
      "font-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  // The library would send the text with the answer to HEAD, too.
  evhttp_add_header(headers, "Content-Length", std::to_string(text.size()).c_str());
  const bool with_text = evhttp_request_get_command(request) != EVHTTP_REQ_HEAD;
  const std::unique_ptr<evbuffer, decltype(&evbuffer_free)> body(evbuffer_new(), evbuffer_free);
  if (body && with_text) evbuffer_add(body.get(), text.data(), text.size());
  evhttp_send_reply(request, code, reason, body.get());
}

}  // namespace

LiveServer::LiveServer(std::uint16_t port, LiveContent content)
    : content_(std::move(content)), token_(random_token()) {
  open(port);
  event_set_log_callback([](int, const char*) {});  // its warnings are about peers, and nobody asked for them
  events_ = event_base_new();
  http_ = events_ ? evhttp_new(events_) : nullptr;
  end_signal_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (!http_ || end_signal_ < 0 || evhttp_accept_socket(http_, socket_) != 0)
    throw Error(ErrorKind::io, "--progress-port: cannot serve the page");
  evhttp_set_allowed_methods(http_, EVHTTP_REQ_GET | EVHTTP_REQ_HEAD);
  evhttp_set_max_headers_size(http_, 16 << 10);
  evhttp_set_max_body_size(http_, 0);
  evhttp_set_timeout(http_, 10);
  evhttp_set_gencb(
      http_, [](evhttp_request* request, void* server) { static_cast<LiveServer*>(server)->answer(request); },
      this);
  // Signals are for the thread that runs the check.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { serve(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

LiveServer::~LiveServer() {
  const std::uint64_t one = 1;
  if (::write(end_signal_, &one, sizeof one) > 0) thread_.join();
  evhttp_free(http_);  // closes the socket, too
  event_base_free(events_);
  ::close(end_signal_);
}

void LiveServer::open(std::uint16_t port) {
  const auto fail = [&] {
    const int error = errno;
    if (socket_ >= 0) ::close(socket_);
    throw Error(ErrorKind::io, fmt::format("--progress-port {}: cannot listen on 127.0.0.1: {}", port,
                                           std::strerror(error)));
  };
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket_ < 0) fail();
  const int yes = 1;
  ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket_, generic, size) != 0 || ::listen(socket_, 16) != 0 ||
      ::getsockname(socket_, generic, &size) != 0)
    fail();
  port_ = ntohs(address.sin_port);
}

std::string LiveServer::address() const {
  return fmt::format("http://127.0.0.1:{}/{}/", port_, token_);
}

void LiveServer::serve() {
  event* end = event_new(
      events_, end_signal_, EV_READ,
      [](evutil_socket_t, short, void* events) { event_base_loopbreak(static_cast<event_base*>(events)); },
      events_);
  event_add(end, nullptr);
  event_base_dispatch(events_);
  event_free(end);
}

void LiveServer::answer(evhttp_request* request) {
  constexpr const char* plain = "text/plain; charset=utf-8";
  try {
    if (!is_this_machine(evhttp_find_header(evhttp_request_get_input_headers(request), "Host")))
      return send(request, 403, "Forbidden", plain, "the Host is not this machine\n");
    const std::string_view path(evhttp_request_get_uri(request));
    const std::size_t slash = path.find('/', 1);
    const bool known = path.starts_with('/') && slash != std::string_view::npos &&
                       same_text(path.substr(1, slash - 1), token_);
    const std::string_view rest = known ? path.substr(slash + 1) : std::string_view();
    if (known && rest.empty()) {
      note_request();
      return send(request, 200, "OK", "text/html; charset=utf-8", content_.page());
    }
    if (known && rest == "data.json") {
      note_request();
      if (run_ended())
        evhttp_request_set_on_complete_cb(
            request,
            [](evhttp_request*, void* server) { static_cast<LiveServer*>(server)->note_last_data(); }, this);
      return send(request, 200, "OK", "application/json", content_.data());
    }
    send(request, 404, "Not Found", plain, "not found\n");
  } catch (const std::exception&) {  // no memory is left for it; there may be later
    send(request, 503, "Service Unavailable", plain, "");
  }
}

void LiveServer::note_request() {
  const std::scoped_lock lock(mutex_);
  last_request_ = Clock::now();
}

void LiveServer::note_last_data() {
  const std::scoped_lock lock(mutex_);
  last_data_fetched_ = true;
  fetched_.notify_all();
}

bool LiveServer::run_ended() const {
  const std::scoped_lock lock(mutex_);
  return run_ended_;
}

bool LiveServer::is_watched() const {
  const std::scoped_lock lock(mutex_);
  return last_request_ && Clock::now() - *last_request_ < watched_for;
}

void LiveServer::end_run() {
  const bool watched = is_watched();
  std::unique_lock lock(mutex_);
  run_ended_ = true;
  if (watched) fetched_.wait_for(lock, longest_wait, [this] { return last_data_fetched_; });
}

}  // namespace tideline::app
