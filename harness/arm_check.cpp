#include "harness/arm_check.h"

#include <fmt/format.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "common/subprocess.h"
#include "harness/client.h"
#include "harness/disguise.h"
#include "harness/installation.h"
#include "harness/stream_gate.h"
#include "harness/upstream.h"
#include "harness/workload.h"

namespace tare::harness {
namespace {

constexpr int request_limit_s = 60;
constexpr std::chrono::seconds decode_limit(30);

class Check {
 public:
  Check(const Manifest& manifest, const std::filesystem::path& bin, ArmStarter& starter,
        Clock& clock, const std::function<void(const CheckStep&)>& on_step)
      : manifest_(manifest), bin_(bin), starter_(starter), clock_(clock), on_step_(on_step) {}

  Result<void> run() {
    const auto identity = install_unasked(manifest_, bin_);
    if (!step("install", identity ? Result<std::string>(identity->json) : fail(identity.error()))) {
      return outcome();
    }
    if (forwarding() && manifest_.kind != ArmKind::direct) {
      disguise();
      streaming();
    }
    return outcome();
  }

 private:
  bool step(const char* name, const Result<std::string>& result) {
    on_step_({name, result});
    if (!result && !first_fault_) first_fault_ = result.error();
    return result.has_value();
  }

  Result<void> outcome() const {
    if (first_fault_) return fail(*first_fault_);
    return {};
  }

  std::unique_ptr<StartedArm> start(const std::string& upstream) {
    auto arm = starter_.start(manifest_, {}, upstream);
    if (!arm) {
      step("start", fail(arm.error()));
      return nullptr;
    }
    const auto took_ns = (*arm)->ready_ns() - (*arm)->began_ns();
    step("start", fmt::format("ready after {:.2f} s", static_cast<double>(took_ns) / 1e9));
    return std::move(*arm);
  }

  void stop(StartedArm& arm) {
    if (const auto gone = arm.gone()) step("live", fail(Error::crashed("it " + *gone)));
    const auto report = arm.stop();
    if (manifest_.kind == ArmKind::direct) return;
    step("stop", end_of(report));
    step("leave nothing", report.leaked_processes == 0
                              ? Result<std::string>("no process is left")
                              : fail(Error::crashed(fmt::format("processes left behind: {}",
                                                                report.leaked_processes))));
  }

  // Programs differ in the code with which they end on a signal: 0, 143, 1 for a connection that
  // was open. Runs keep it and do not mind.
  static Result<std::string> end_of(const StopReport& report) {
    if (report.killed) {
      return fail(Error::crashed("did not end within the grace time after SIGTERM"));
    }
    if (report.exit_code) {
      return *report.exit_code == 0
                 ? "ended on SIGTERM"
                 : fmt::format("ended on SIGTERM, with exit code {}", *report.exit_code);
    }
    if (report.exit_signal == SIGTERM) return "ended on SIGTERM";
    return fail(
        Error::crashed(fmt::format("signal {} after SIGTERM", report.exit_signal.value_or(0)),
                       "expected: its end with an exit code, or by that signal"));
  }

  struct CheckedRoute {
    Route route;
    std::string path;
  };

  // The first API that it takes; that is what it is checked with.
  std::optional<CheckedRoute> checked_route() const {
    for (const Route route : {Route::responses, Route::chat, Route::messages}) {
      if (auto path = path_of(manifest_, route)) return CheckedRoute{route, std::move(*path)};
    }
    return std::nullopt;
  }

  // Whether it started.
  bool forwarding() {
    auto upstream = start_upstream(clock_);
    if (!upstream) return step("start", fail(upstream.error()));
    const auto arm = start((*upstream)->url());
    if (!arm) return false;
    const auto checked = checked_route();
    if (!checked) {
      step("forward", "left out: no route");
    } else {
      const auto client = make_client(clock_, never_);
      if (const auto proxy = arm->proxy(); !proxy.empty()) client->use_proxy(proxy);
      const auto url = arm->base_url() + checked->path;
      for (const Task& task : {Task::logs, Task::json, Task::code}) {
        const auto body = make_body(task, 0, "read_file", checked->route);
        auto forwarded = forwarded_by(client->post(url, body.text, request_limit_s), **upstream);
        if (!step("forward", forwarded ? Result<std::string>(seen(body, *forwarded))
                                       : fail(forwarded.error()))) {
          break;
        }
        check_content(body, forwarded->body);
        forwarded_[task] = std::move(forwarded->body);
      }
      if (!first_fault_) repeat(*client, url, **upstream, checked->route);
    }
    stop(*arm);
    return true;
  }

  // The same request once more: it goes to the upstream again, and an arm that does not say that it
  // caches sends the same.
  void repeat(Client& client, const std::string& url, Upstream& upstream, Route route) {
    const auto body = make_body(Task::logs, 0, "read_file", route);
    const auto& first = forwarded_[Task::logs];
    const auto again = forwarded_by(client.post(url, body.text, request_limit_s), upstream);
    if (!again) {
      step("repeat", fail(again.error()));
    } else if (!manifest_.caches && again->body != first) {
      step("repeat", fail(Error::invalid(
                         fmt::format("the same request was forwarded otherwise: {} bytes, then {}",
                                     first.size(), again->body.size()),
                         "an arm that keeps something between requests says \"caches\": true")));
    } else {
      step("repeat",
           fmt::format("the upstream was asked again, with {} bytes", again->body.size()));
    }
  }

  // In a start of its own: what an arm keeps of the first one is not to help it here.
  void disguise() {
    const auto checked = checked_route();
    if (!checked || first_fault_) return;
    auto upstream = start_upstream(clock_);
    if (!upstream) {
      step("start", fail(upstream.error()));
      return;
    }
    const auto arm = start((*upstream)->url());
    if (!arm) return;
    const auto client = make_client(clock_, never_, disguised_headers());
    if (const auto proxy = arm->proxy(); !proxy.empty()) client->use_proxy(proxy);
    for (const auto& [task, published] : forwarded_) {
      const auto body = disguised_body(task, checked->route);
      const auto forwarded = forwarded_by(
          client->post(arm->base_url() + checked->path, body.text, request_limit_s), **upstream);
      if (!step("disguise", forwarded ? same_treatment(body, forwarded->body, published.size())
                                      : fail(forwarded.error()))) {
        break;
      }
    }
    stop(*arm);
  }

  Result<std::string> same_treatment(const Body& body, const std::string& forwarded,
                                     std::size_t published_bytes) const {
    auto figures = fmt::format("{}: {} bytes forwarded, {} of the published body",
                               name_of(body.task), forwarded.size(), published_bytes);
    const double more =
        static_cast<double>(forwarded.size()) - static_cast<double>(published_bytes);
    const bool same =
        manifest_.kind == ArmKind::compressor
            ? std::abs(more) <= disguise_tolerance * static_cast<double>(body.text.size())
            : forwarded == body.text;
    if (same) return figures;
    return fail(Error::invalid(figures + ": the benchmark is treated as nothing else is",
                               "names, models and tokens must not decide what is done"));
  }

  struct Forwarded {
    std::string body;
    int times = 0;
  };

  // What the upstream received of one request, when the reply is the upstream's.
  Result<Forwarded> forwarded_by(const Exchange& exchange, Upstream& upstream) const {
    if (exchange.error) return fail(Error::io("no whole reply: " + *exchange.error));
    if (exchange.status != 200) {
      return fail(Error::invalid(fmt::format("status {}, and the upstream had answered 200",
                                             exchange.status.value_or(0))));
    }
    Forwarded forwarded;
    bool answered = false;
    for (auto& received : upstream.take()) {
      if (received.method != "POST") continue;  // the arm asks whether its upstream lives
      answered |= manifest_.rewrites_replies
                      ? upstream_request_of(exchange.reply) == received.upstream_request
                      : received.reply == exchange.reply;
      forwarded.body = std::move(received.body);
      ++forwarded.times;
    }
    if (answered && forwarded.times > 1) {
      return fail(Error::invalid(
          fmt::format("the upstream received it {} times", forwarded.times),
          "the arm sent it again, or closed a kept connection without a reply, so that the client "
          "did; see what it printed"));
    }
    if (answered) return forwarded;
    if (forwarded.times == 0) {
      return fail(Error::invalid("it answered without asking the upstream"));
    }
    return fail(Error::invalid(manifest_.rewrites_replies
                                   ? "the reply does not hold the id of one that the upstream sent"
                                   : "the reply is not, byte for byte, one that the upstream sent",
                               "see rewrites_replies in docs/adding-an-arm.md"));
  }

  static std::string seen(const Body& body, const Forwarded& forwarded) {
    auto text = fmt::format("{}: {} bytes sent, {} forwarded", name_of(body.task), body.text.size(),
                            forwarded.body.size());
    if (body.route != Route::responses) text += fmt::format(", {}", name_of(body.route));
    return text;
  }

  // A forwarder changes nothing; what a compressor changes its decoder brings back.
  void check_content(const Body& body, const std::string& forwarded) {
    if (manifest_.kind != ArmKind::compressor) {
      if (forwarded != body.text) {
        step("forward", fail(Error::invalid("the body was changed on its way",
                                            "an arm that changes bodies is of kind compressor")));
      }
      return;
    }
    if (manifest_.decoder.empty()) return;
    Placeholders values;
    values.bin = bin_;
    values.install = install_folder(manifest_);
    SubprocessOptions options;
    for (const auto& word : manifest_.decoder) options.argv.push_back(resolve(word, values));
    const auto decoded = run_to_end(options, forwarded, decode_limit);
    if (!decoded) {
      step("decode", fail(decoded.error()));
      return;
    }
    const bool same = decoded->status.ok() && output_in(decoded->out, body.route) == body.output;
    step("decode",
         same ? Result<std::string>(fmt::format("{}: the original tool output", name_of(body.task)))
              : fail(Error::invalid(
                    fmt::format("{}: the decoder ({}) did not give back the original tool output",
                                name_of(body.task), decoded->status.text()))));
  }

  // The tool output in a request body; nothing when there is none.
  static std::optional<std::string> output_in(const std::string& body, Route route) {
    const auto json = nlohmann::json::parse(body, nullptr, false);
    const auto place =
        nlohmann::json::json_pointer(route == Route::responses ? "/input/2/output"
                                     : route == Route::chat    ? "/messages/2/content"
                                                               : "/messages/2/content/0/content");
    if (json.is_discarded() || !json.contains(place) || !json[place].is_string()) {
      return std::nullopt;
    }
    return json[place].get<std::string>();
  }

  void streaming() {
    const auto checked = checked_route();
    if (!checked || !manifest_.streams) {
      step("stream", "left out: the manifest does not claim it");
      return;
    }
    auto gate = open_stream_gate();
    if (!gate) {
      step("stream", fail(gate.error()));
      return;
    }
    const auto arm = start((*gate)->url());
    if (!arm) return;
    const auto passed = (*gate)->pass(arm->base_url(), checked->path, arm->proxy());
    step("stream", passed ? Result<std::string>("the first event came while the rest was held back")
                          : fail(passed.error()));
    stop(*arm);
  }

  const Manifest& manifest_;
  const std::filesystem::path& bin_;
  ArmStarter& starter_;
  Clock& clock_;
  const std::function<void(const CheckStep&)>& on_step_;
  std::optional<Error> first_fault_;
  const std::atomic<int> never_ = 0;       // no interrupt
  std::map<Task, std::string> forwarded_;  // of the published bodies
};

}  // namespace

Result<void> check_arm(const Manifest& manifest, const std::filesystem::path& bin,
                       ArmStarter& starter, Clock& clock,
                       const std::function<void(const CheckStep&)>& on_step) {
  return Check(manifest, bin, starter, clock, on_step).run();
}

}  // namespace tare::harness
