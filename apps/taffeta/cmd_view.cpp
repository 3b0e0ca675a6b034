#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "viewer_content.h"

// Last: what it includes defines the name `_res` as a macro, which Eigen uses.
#include <httplib.h>

namespace taffeta::app {

namespace {

struct ViewArguments {
    std::string directory, scene_folder;
    int port = 8765;
};

constexpr const char* address = "127.0.0.1";

/// Only this machine may ask, and only for itself: a page of another site whose name was pointed at
/// 127.0.0.1 (DNS rebinding) sends its own name as the host.
bool is_own_host(const std::string& host, int port) {
    return host == fmt::format("127.0.0.1:{}", port) || host == fmt::format("localhost:{}", port);
}

void refuse(httplib::Response& response, int status) {
    response.status = status;
    response.set_content(fmt::format("{}\n", status), "text/plain");
}

void answer(ViewerContent& content, const httplib::Request& request, httplib::Response& response) {
    try {
        if (auto found = content.find(request.path))
            response.set_content(found->body, found->type);
        else
            refuse(response, 404);
    } catch (const std::exception& error) {
        response.status = 500;
        response.set_content(escaped(error.what()) + "\n", "text/plain; charset=utf-8");
    }
}

/// Hosts, methods and what browsers must not do with our pages. Everything is answered here, before
/// the library's own routes: they would match targets by regular expressions.
void serve(httplib::Server& server, ViewerContent& content, int port) {
    server.set_default_headers(
        {{"Content-Security-Policy",
          "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
          "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
         {"X-Content-Type-Options", "nosniff"},
         {"Cross-Origin-Resource-Policy", "same-origin"},
         {"Referrer-Policy", "no-referrer"},
         {"Cache-Control", "no-store"}});
    server.set_pre_routing_handler(
        [&content, port](const httplib::Request& request, httplib::Response& response) {
            if (!is_own_host(request.get_header_value("Host"), port))
                refuse(response, 403);
            else if (request.method != "GET" && request.method != "HEAD")
                refuse(response, 405);
            else
                answer(content, request, response);
            return httplib::Server::HandlerResponse::Handled;
        });
    // A request that says nothing for long, or brings a body, holds no thread.
    server.set_read_timeout(10);
    server.set_write_timeout(10);
    server.set_payload_max_length(0);
    server.new_task_queue = [] { return new httplib::ThreadPool(8); };
}

void view_run(const ViewArguments& arguments) {
    ViewerContent content(arguments.directory, arguments.scene_folder);
    httplib::Server server;
    int port = arguments.port;
    if (port == 0)
        port = server.bind_to_any_port(address);
    else if (!server.bind_to_port(address, port))
        port = -1;
    if (port < 0)
        fail_io(fmt::format("{}:{}", address, arguments.port), "the port cannot be opened",
                "another program has it? --port 0 takes any free one");

    serve(server, content, port);
    fmt::print("http://{}:{}/  (Ctrl-C ends)\n", address, port);
    std::fflush(stdout);
    if (!server.listen_after_bind()) fail_io(address, "the server stopped");
}

}  // namespace

void add_view_command(Command app, int&) {
    auto arguments = std::make_shared<ViewArguments>();
    Command command =
        app.subcommand("view", "Play a run in the browser, served to this machine only");
    command.option("directory", arguments->directory, "folder of the run").required();
    command.option("--port", arguments->port, "port on 127.0.0.1; 0: any free one")
        .show_default()
        .within(0, 65535);
    command.option("--scene-folder", arguments->scene_folder,
                   "where the scene's files are, when they have moved since the run");
    command.footer("Example:  taffeta view out/sphere");
    command.action([arguments] { view_run(*arguments); });
}

}  // namespace taffeta::app
