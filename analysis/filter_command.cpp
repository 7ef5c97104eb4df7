#include "analysis/filter_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/subprocess.h"

namespace tare::analysis {
namespace {

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, std::min<std::size_t>(text.find('\n'), 200)));
}

}  // namespace

Result<std::string> run_filter(const std::vector<std::string>& argv, std::string_view input,
                               std::chrono::milliseconds limit) {
  SubprocessOptions options;
  options.argv = argv;
  auto output = run_to_end(options, input, limit);
  if (!output) return fail(output.error());
  if (!output->status.ok()) {
    const auto reason = first_line(output->err);
    return fail(
        Error::crashed(fmt::format("{} ended with {}{}{}", argv.front(), output->status.text(),
                                   reason.empty() ? "" : ": ", reason)));
  }
  return std::move(output->out);
}

}  // namespace tare::analysis
