// A run that is watched while it goes on, by a client with a plain socket.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <optional>

#include "report_page.hpp"

namespace tideline::test {
namespace {

using nlohmann::json;

struct Address {
  std::uint16_t port = 0;
  std::string path;  ///< "/TOKEN/"
};

/// Where the program says that it can be watched.
Address watch_address(const std::string& text) {
  const std::string mark = "watch this run at http://127.0.0.1:";
  const std::size_t at = text.find(mark) + mark.size(), slash = text.find('/', at);
  return {static_cast<std::uint16_t>(std::stoul(text.substr(at, slash - at))),
          text.substr(slash, text.find('/', slash + 1) + 1 - slash)};
}

/// All that the server answers to these bytes; nothing: it is not there.
std::optional<std::string> ask(std::uint16_t port, const std::string& request) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::optional<std::string> answer;
  if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
    if (::send(socket, request.data(), request.size(), MSG_NOSIGNAL) ==
        static_cast<ssize_t>(request.size())) {
      answer.emplace();
      char buffer[4096];
      for (ssize_t got; (got = ::recv(socket, buffer, sizeof buffer, 0)) > 0;)
        answer->append(buffer, static_cast<std::size_t>(got));
    }
  }
  ::close(socket);
  return answer;
}

std::string request(const std::string& method, const std::string& path,
                    const std::string& host = "127.0.0.1") {
  return method + " " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
}

std::string status_of(const std::optional<std::string>& answer) {
  return answer && answer->size() > 12 ? answer->substr(9, 3) : "none";
}

std::string body_of(const std::optional<std::string>& answer) {
  const std::size_t at = answer ? answer->find("\r\n\r\n") : std::string::npos;
  return at == std::string::npos ? "" : answer->substr(at + 4);
}

TEST(Live, ARunCanBeWatched) {
  if (!has_page()) GTEST_SKIP() << "the program was built without the report page";
  if (!terminals_available()) GTEST_SKIP() << "no pseudo-terminals";
  const Folder folder;
  for (const std::string command : {"check", "explore"}) {
    OnTerminal program({command, folder.write("m.dve", test::endless), "--engine", "bfs", "--progress-port",
                        "0", "--memory", "2G"});
    ASSERT_TRUE(program.wait_for("/\r\n"));
    const Address at = watch_address(program.seen());
    EXPECT_EQ(at.path.size(), 34u) << "128 bits in hexadecimal";
    ASSERT_TRUE(program.wait_for("states"));

    const auto page = ask(at.port, request("GET", at.path));
    EXPECT_EQ(status_of(page), "200");
    EXPECT_TRUE(has(*page, "<meta name=\"tideline-live\" content=\"data.json\">"));
    EXPECT_TRUE(has(*page, "Cache-Control: no-store"));
    EXPECT_FALSE(has(*page, "Access-Control-Allow-Origin"));
    EXPECT_EQ(page_data(body_of(page))["live"]["ended"], false);

    const json data =
        json::parse(body_of(ask(at.port, request("GET", at.path + "data.json", "localhost:1"))));
    EXPECT_EQ(schema_errors(data, "tideline-report"), "");
    EXPECT_EQ(data["live"]["phase"], "searching");
    EXPECT_EQ(data["live"]["engine"], "bfs");
    EXPECT_EQ(data["model"]["components"][0]["name"], "P");
    EXPECT_EQ(data["command"][1], command);
    EXPECT_GT(data["exploration"]["timeline"].back()["states"], 0);

    EXPECT_EQ(body_of(ask(at.port, request("HEAD", at.path))).size(), 0u);
    EXPECT_EQ(status_of(ask(at.port, request("HEAD", at.path))), "200");
    const std::string wrong = "/" + std::string(32, '0') + "/";
    for (const std::string& path :
         {wrong, wrong + "data.json", std::string("/"), std::string("//"), at.path + "x",
          at.path + "../" + at.path, at.path.substr(0, 33), at.path.substr(0, 20) + "/",
          "http://127.0.0.1" + at.path + "data", std::string("*"), at.path + "%2e"})
      EXPECT_EQ(status_of(ask(at.port, request("GET", path))), "404") << path;
    for (const char* host : {"example.org", "127.0.0.1.example.org", "localhost.example.org:80", "", "[::1]"})
      EXPECT_EQ(status_of(ask(at.port, request("GET", at.path, host))), "403") << host;
    EXPECT_EQ(status_of(ask(at.port, "GET " + at.path + " HTTP/1.0\r\n\r\n")), "403") << "no host";
    for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "NONSENSE"})
      EXPECT_NE(status_of(ask(at.port, request(method, at.path))), "200") << method;
    ask(at.port, std::string(100'000, 'x') + "\r\n\r\n");
    ask(at.port, std::string("\0\xff\x16\x03\x01", 5) + "\r\n\r\n");

    program.send(SIGINT);
    // Whoever watches gets the whole report once, and then the server goes away.
    json last;
    while (const auto answer = ask(at.port, request("GET", at.path + "data.json"))) {
      const json now = json::parse(body_of(answer), nullptr, false);
      if (!now.is_discarded()) last = now;
      if (last["live"]["ended"] == true) break;
    }
    EXPECT_EQ(last["live"]["ended"], true);
    EXPECT_EQ(last["answer"]["exit_code"], 3);
    EXPECT_EQ(schema_errors(last, "tideline-report"), "");
    EXPECT_EQ(program.finish().exit_code, 3);
    EXPECT_EQ(ask(at.port, request("GET", at.path)), std::nullopt);
  }
}

TEST(Live, TwoRunsDoNotShareAPort) {
  if (!has_page()) GTEST_SKIP() << "the program was built without the report page";
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(socket, generic, size), 0);
  ASSERT_EQ(::listen(socket, 1), 0);
  ASSERT_EQ(::getsockname(socket, generic, &size), 0);
  const Folder folder;
  const Result r = run({"check", folder.write("m.dve", peterson), "--deadlock", "--progress-port",
                        std::to_string(ntohs(address.sin_port))});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "cannot listen on 127.0.0.1")) << r.err;
  EXPECT_EQ(r.out, "");
  ::close(socket);
}

TEST(Live, NobodyHasToWatch) {
  if (!has_page()) GTEST_SKIP() << "the program was built without the report page";
  const Folder folder;
  const Result r =
      run({"check", folder.write("m.dve", peterson), "--deadlock", "--progress-port", "0", "--quiet"});
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_TRUE(has(r.err, "watch this run at http://127.0.0.1:")) << r.err;
}

}  // namespace
}  // namespace tideline::test
