#include "harness/retrieval.h"

#include <fmt/format.h>
#include <httplib.h>

#include <chrono>
#include <cstdlib>
#include <regex>

#include "common/hash.h"
#include "common/programs.h"
#include "common/subprocess.h"
#include "harness/arm_command.h"
#include "harness/installation.h"

namespace tare::harness {
namespace {

constexpr time_t limit_s = 30;

// Where the arm itself is asked; a forward proxy is not the way to itself.
std::string own_address(const StartedArm& arm) {
  const auto proxy = arm.proxy();
  const std::string& address = proxy.empty() ? arm.base_url() : proxy;
  const auto scheme_end = address.find("://") + 3;
  return address.substr(0, address.find('/', scheme_end));
}

}  // namespace

std::vector<Marker> markers_in(std::string_view body, const std::string& expression) {
  std::vector<Marker> markers;
  std::set<std::string> seen;
  const std::regex marker(expression);
  const char* const end = body.data() + body.size();
  for (std::cregex_iterator at(body.data(), end, marker), none; at != none; ++at) {
    if (seen.insert(at->str()).second) markers.push_back({at->str(), at->str(1)});
  }
  return markers;
}

std::vector<Retrieved> Retrieval::of(std::string_view body, const std::string& forwarded_sha256) {
  std::vector<Retrieved> all;
  if (!manifest_.retrieve) return all;
  const Retrieve& how = *manifest_.retrieve;
  for (const Marker& marker : markers_in(body, how.marker)) {
    if (!asked_.insert(marker.text).second) continue;
    Retrieved result = ask(how, marker);
    result.row.arm = manifest_.name;
    result.row.forwarded_sha256 = forwarded_sha256;
    result.row.marker = marker.text;
    if (!result.row.error) {
      result.row.sha256 = sha256_hex(result.body);
      result.row.bytes = static_cast<std::int64_t>(result.body.size());
    }
    all.push_back(std::move(result));
  }
  return all;
}

Retrieved Retrieval::ask(const Retrieve& how, const Marker& marker) const {
  Retrieved result;
  if (how.command.empty()) {
    get(with_key(how.get, marker.key), result);
  } else {
    run(how.command, marker.key, result);
  }
  return result;
}

void Retrieval::get(const std::string& path, Retrieved& result) const {
  httplib::Client client(own_address(arm_));
  client.set_read_timeout(limit_s);
  const auto reply = client.Get(path);
  if (!reply) {
    result.row.error = "no answer: " + to_string(reply.error());
    return;
  }
  result.row.status = reply->status;
  result.body = reply->body;
}

// The exit code stands as the status.
void Retrieval::run(const std::vector<std::string>& command, const std::string& key,
                    Retrieved& result) const {
  Placeholders values;
  const auto address = own_address(arm_);
  values.port = std::atoi(address.substr(address.rfind(':') + 1).c_str());
  values.upstream = upstream_;
  values.install = install_folder(manifest_);
  SubprocessOptions options;
  for (const auto& word : command) {
    options.argv.push_back(resolve(with_key(word, key), values));
  }
  if (const auto state = arm_.state(); !state.empty()) {
    options.working_directory = state;
    options.environment = {"HOME=" + state, "PATH=" + path_variable()};
  }
  const auto output = run_to_end(options, "", std::chrono::seconds(limit_s));
  if (!output) {
    result.row.error = output.error().message;
    return;
  }
  if (output->status.code) result.row.status = *output->status.code;
  if (!output->status.ok()) result.row.error = output->status.text();
  result.body = output->out;
}

}  // namespace tare::harness
