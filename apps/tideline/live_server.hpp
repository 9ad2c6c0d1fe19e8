// LiveServer: shows a run in progress in a browser on this machine.
//
// It answers GET and HEAD for two addresses, the page and its data, on 127.0.0.1 alone. The address has a
// random token, so that other users of the machine and other pages in the browser cannot guess it; requests
// whose Host is another name (a page that has its name point to this machine) are refused.
//
// It works in a thread of its own and is asked by nobody: the search never waits for it. What it shows is
// made by a function that its thread calls for each request.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

struct event_base;
struct evhttp;
struct evhttp_request;

namespace tideline::app {

/// Called in the server's thread; may throw std::bad_alloc.
struct LiveContent {
  std::function<std::string()> page;  ///< HTML
  std::function<std::string()> data;  ///< JSON
};

class LiveServer {
 public:
  /// `port` 0: any that is free. Throws Error(io) when it cannot listen there.
  LiveServer(std::uint16_t port, LiveContent content);
  /// Ends at once.
  ~LiveServer();
  LiveServer(const LiveServer&) = delete;
  LiveServer& operator=(const LiveServer&) = delete;

  /// "http://127.0.0.1:40001/0123456789abcdef0123456789abcdef/"
  std::string address() const;

  /// Whether somebody has asked for the page or its data in the last seconds.
  bool is_watched() const;
  /// From now on the data does not change any more. Returns when whoever watches has fetched it, at once if
  /// nobody does, and in any case after a few seconds.
  void end_run();

 private:
  using Clock = std::chrono::steady_clock;

  void open(std::uint16_t port);
  void serve();
  void answer(evhttp_request* request);
  void note_request();
  bool run_ended() const;
  void note_last_data();

  LiveContent content_;
  std::string token_;
  std::uint16_t port_ = 0;
  int socket_ = -1, end_signal_ = -1;
  event_base* events_ = nullptr;
  evhttp* http_ = nullptr;
  std::thread thread_;
  mutable std::mutex mutex_;
  std::condition_variable fetched_;
  std::optional<Clock::time_point> last_request_;
  bool run_ended_ = false, last_data_fetched_ = false;
};

}  // namespace tideline::app
