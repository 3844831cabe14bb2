#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <thread>

#include "pair/cli/commands.h"
#include "pair/cli/train_interrupt.h"
#include "pair/report/page.h"
#include "pair/watch/feed.h"
#include "pair/watch/follower.h"
#include "pair/watch/server.h"

namespace pair::cli {
namespace {

using nlohmann::json;

struct WatchArguments {
  std::string folder;
  std::string host = "127.0.0.1";
  int port = 0;
  bool json = false;
};

// Names on disk may not be UTF-8.
std::string text_of(const json& payload) {
  return payload.dump(-1, ' ', false, json::error_handler_t::replace);
}

void say_where(const WatchArguments& arguments, const watch::Server& server, std::ostream& out) {
  if (arguments.json) {
    out << json{{"url", server.url()}, {"port", server.port()}}.dump() << '\n';
  } else {
    out << "Watching " << arguments.folder << " at " << server.url() << " (Ctrl-C ends)\n";
  }
  flush(out);
}

void run_watch(const WatchArguments& arguments, Context& context) {
  watch::Follower follower(arguments.folder);
  const Interrupt interrupt;
  watch::Feed feed;
  const auto look = [&follower, &feed] {
    if (follower.look()) {
      feed.publish(text_of(follower.payload()));
    }
  };
  look();
  watch::ServerOptions options;
  options.host = arguments.host;
  options.port = arguments.port;
  const watch::Server server(
      feed, [](const std::string& payload) { return report::page(json::parse(payload), /*live=*/true); },
      options);
  say_where(arguments, server, context.out);
  // Signals are handled within a tenth of a second; runs are checked every half second.
  constexpr int ticks = 5;
  for (int tick = 1; interrupt.signal() == 0; ++tick) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (tick % ticks == 0) {
      look();
    }
  }
}

}  // namespace

void add_watch(CLI::App& app, Context& context) {
  const auto arguments = std::make_shared<WatchArguments>();
  CLI::App* command = app.add_subcommand("watch", "Follow runs on a web page while they train");
  command->add_option("DIR", arguments->folder, "A run's folder, or a folder of run folders")->required();
  command->add_option("--port", arguments->port, "Port to listen on; 0: any free port")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  command
      ->add_option(
          "--host", arguments->host,
          "Address to listen on. Anyone who can reach an address other than 127.0.0.1 can see the runs")
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "Write the address as a JSON object");
  command->footer(
      "The page shows a new record within two seconds, and both running and finished runs. Nothing\n"
      "outside of DIR is shown, and nothing in it is changed. Ctrl-C ends it with status 0.\n\n"
      "Example:\n"
      "  pair watch runs\n"
      "  pair watch runs --port 8080");
  command->callback([arguments, &context] { run_watch(*arguments, context); });
}

}  // namespace pair::cli
