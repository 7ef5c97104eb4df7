#include "analysis/filter_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/subprocess.h"

namespace tare::analysis {
namespace {

// A command that does not stop writing must not fill the disk. Forms expand up to a thousandfold
// and more; whoever writes a gigabyte for one output is taken for broken.
constexpr std::size_t max_growth = 1000;
constexpr std::size_t least_limit_bytes = std::size_t{64} << 20;

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, std::min<std::size_t>(text.find('\n'), 200)));
}

}  // namespace

Result<std::string> run_filter(const std::vector<std::string>& argv, std::string_view input,
                               std::chrono::milliseconds limit) {
  SubprocessOptions options;
  options.argv = argv;
  options.max_file_bytes = input.size() * max_growth + least_limit_bytes;
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
