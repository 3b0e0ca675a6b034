#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <string>

#include <array>
#include <filesystem>
#include <memory>
#include <regex>

#include "faces/small_run.h"

namespace taffeta {
namespace {

namespace fs = std::filesystem;
using test::Command;

/// A server of a small run, asked through bare sockets: a client library would tidy up the very
/// requests that must be refused.
class ViewCommand : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        folder_ =
            fs::path(testing::TempDir()) / ("taffeta_view_command_" + std::to_string(::getpid()));
        if (!test::make_small_run(folder_, 2).empty()) return;
        server_ = std::make_unique<Command>(
            std::vector<std::string>{"view", folder_.string(), "--port", "0"});
        const std::string line = server_->line();
        std::smatch port;
        if (std::regex_search(line, port, std::regex("http://127\\.0\\.0\\.1:(\\d+)/")))
            port_ = std::stoi(port[1]);
    }
    static void TearDownTestSuite() {
        server_.reset();
        fs::remove_all(folder_);
    }
    void SetUp() override { ASSERT_GT(port_, 0); }

    /// Everything that comes back for these bytes.
    static std::string exchange(const std::string& request) {
        const int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(std::uint16_t(port_));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const timeval patience{20, 0};
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        std::string answer;
        if (connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
            send(connection, request.data(), request.size(), MSG_NOSIGNAL) > 0) {
            std::array<char, 65536> buffer;
            for (ssize_t got; (got = recv(connection, buffer.data(), buffer.size(), 0)) > 0;)
                answer.append(buffer.data(), std::size_t(got));
        }
        close(connection);
        return answer;
    }
    static std::string own_host() { return "127.0.0.1:" + std::to_string(port_); }
    static std::string ask(const std::string& target, const std::string& method = "GET",
                           const std::string& host = own_host()) {
        return exchange(method + " " + target + " HTTP/1.1\r\nHost: " + host +
                        "\r\nConnection: close\r\n\r\n");
    }
    static int status(const std::string& answer) {
        return answer.size() > 12 ? std::atoi(answer.c_str() + 9) : 0;
    }
    static std::string body(const std::string& answer) {
        const std::size_t end = answer.find("\r\n\r\n");
        return end == std::string::npos ? "" : answer.substr(end + 4);
    }

    inline static fs::path folder_;
    inline static std::unique_ptr<Command> server_;
    inline static int port_ = 0;
};

TEST_F(ViewCommand, ServesThePageAndItsParts) {
    const std::string page = ask("/");

    EXPECT_EQ(status(page), 200);
    EXPECT_NE(page.find("Content-Security-Policy: default-src 'none'"), std::string::npos);
    EXPECT_NE(page.find("nosniff"), std::string::npos);
    for (const char* part :
         {"/main.js", "/stage.js", "/style.css", "/manifest.json", "/stats.jsonl"})
        EXPECT_EQ(status(ask(part)), 200) << part;
}

TEST_F(ViewCommand, FramesAndMeshesHaveTheAnnouncedSizes) {
    const std::string manifest = body(ask("/manifest.json"));
    std::size_t vertices = 0, meshes = 0;
    const std::regex count("\"vertices\": (\\d+)");
    for (std::sregex_iterator match(manifest.begin(), manifest.end(), count), end; match != end;
         ++match, ++meshes)
        vertices += std::stoul((*match)[1]);

    ASSERT_GE(meshes, 2u) << manifest;
    EXPECT_NE(manifest.find("\"frames\": 3"), std::string::npos) << manifest;
    for (int frame = 1; frame <= 3; ++frame)
        EXPECT_EQ(body(ask("/frame/" + std::to_string(frame))).size(), 12 * vertices);
    for (std::size_t mesh = 0; mesh < meshes; ++mesh)
        EXPECT_EQ(body(ask("/mesh/" + std::to_string(mesh))).size() % 12, 0u);
}

TEST_F(ViewCommand, HeadHasNoBody) {
    const std::string answer = ask("/frame/1", "HEAD");

    EXPECT_EQ(status(answer), 200);
    EXPECT_TRUE(body(answer).empty());
}

TEST_F(ViewCommand, RefusesOtherHosts) {
    // A name of somebody else that was made to resolve to 127.0.0.1.
    EXPECT_EQ(status(ask("/", "GET", "evil.example:" + std::to_string(port_))), 403);
    EXPECT_EQ(status(ask("/manifest.json", "GET", "127.0.0.1.evil.example")), 403);
    EXPECT_EQ(status(ask("/manifest.json", "GET", "")), 403);
    EXPECT_EQ(status(ask("/", "GET", "localhost:" + std::to_string(port_))), 200);
}

TEST_F(ViewCommand, RefusesOtherMethods) {
    for (const char* method : {"POST", "PUT", "DELETE", "PATCH", "OPTIONS"})
        EXPECT_EQ(status(ask("/", method)), 405) << method;
}

TEST_F(ViewCommand, NamesNoFiles) {
    for (const char* target : {"/../scene.json",
                               "/scene.json",
                               "/%2e%2e/scene.json",
                               "/%252e%252e/scene.json",
                               "/..%5cscene.json",
                               "//etc/passwd",
                               "/etc/passwd",
                               "/proc/self/environ",
                               "/frame/../1",
                               "/frame/1/",
                               "/frame/-1",
                               "/frame/0",
                               "/frame/4",
                               "/frame/99999999999999999999",
                               "/frame/1%00",
                               "/frame/+1",
                               "/frame/ 1",
                               "/mesh/99",
                               "/mesh/",
                               "/index.html/"}) {
        const std::string answer = ask(target);
        const int got = status(answer);
        EXPECT_TRUE(got == 404 || got == 400) << target << " gave " << got;
        EXPECT_EQ(body(answer).find("root:"), std::string::npos) << target;
    }
}

TEST_F(ViewCommand, OutlivesBadRequests) {
    exchange("GET " + std::string(100000, 'a') + " HTTP/1.1\r\nHost: " + own_host() + "\r\n\r\n");
    exchange("\r\n\r\n\r\n");
    exchange(std::string("GET /\0 HTTP/1.1\r\n\r\n", 20));
    exchange("GET / HTTP/1.1\r\nHost: " + own_host() +
             "\r\nRange: bytes=99999999999999999999999-\r\nConnection: close\r\n\r\n");

    EXPECT_EQ(status(ask("/")), 200);
}

}  // namespace
}  // namespace taffeta
