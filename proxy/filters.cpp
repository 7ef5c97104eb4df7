#include "proxy/filters.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <memory>
#include <string>

#include "common/whole_number.h"
#include "proxy/compact/compact.h"
#include "proxy/compact_options.h"
#include "proxy/wire/wire.h"

namespace tare {
namespace {

constexpr std::size_t default_max_bytes = std::size_t{1} << 30;

Result<std::string> read_stdin() {
  constexpr std::size_t step_bytes = std::size_t{256} << 10;
  std::string text;
  for (;;) {
    const std::size_t size = text.size();
    text.resize(size + step_bytes);
    const ssize_t got = ::read(STDIN_FILENO, text.data() + size, step_bytes);
    const int error = errno;
    text.resize(size + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) return text;
    if (got < 0 && error != EINTR) return fail(Error::io_errno("cannot read stdin", error));
  }
}

Result<void> write_stdout(std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(STDOUT_FILENO, text.data(), text.size());
    if (put >= 0) {
      text.remove_prefix(static_cast<std::size_t>(put));
    } else if (errno != EINTR) {
      return fail(Error::io_errno("cannot write to stdout", errno));
    }
  }
  return {};
}

struct CompactOptions {
  wire::Policy policy;
  bool body = false;
  bool explain = false;
};

// A body does not say where it was sent: it is of the first format in which it has outputs.
std::string compacted_body(const std::string& body, const wire::Policy& policy) {
  for (const char* path : {"/v1/responses", "/v1/chat/completions", "/v1/messages"}) {
    auto rewritten = wire::rewrite(path, body, policy);
    if (rewritten.outputs_rewritten > 0) return std::move(rewritten.body);
  }
  return body;
}

Result<void> run_compact(const CompactOptions& options) {
  const auto text = read_stdin();
  if (!text) return fail(text.error());
  if (options.body) return write_stdout(compacted_body(*text, options.policy));
  if (options.explain) return write_stdout(compact::explain(*text, options.policy.compact));
  return write_stdout(compact::compact(*text, options.policy.compact).text);
}

struct ExpandOptions {
  bool body = false;
  std::string target;
  std::size_t max_bytes = default_max_bytes;
};

Result<std::string> expanded(const std::string& input, const ExpandOptions& options) {
  if (options.body) return wire::expand_body(input, options.max_bytes, options.target);
  if (!compact::looks_like_form(input)) return input;
  return compact::expand(input, options.max_bytes);
}

Result<void> run_expand(const ExpandOptions& options) {
  const auto input = read_stdin();
  if (!input) return fail(input.error());
  const auto text = expanded(*input, options);
  if (!text) return fail(text.error());
  return write_stdout(*text);
}

}  // namespace

void add_filters(CLI::App& app, Result<void>& outcome) {
  auto compact_options = std::make_shared<CompactOptions>();
  CLI::App* compact = app.add_subcommand("compact",
                                         "write the compact form of the text on stdin, or the text "
                                         "itself when there is no smaller one");
  add_policy_options(*compact, compact_options->policy);
  auto* body = compact->add_flag("--body", compact_options->body,
                                 "stdin is a request body: write it as the proxy forwards it, with "
                                 "its tool outputs compacted");
  compact
      ->add_flag("--explain", compact_options->explain,
                 "instead of the form, write what was found and saved, piece by piece, or why "
                 "the text stays as it is; tokens are estimated")
      ->excludes(body);
  // They are about the outputs of a request: a text alone has no tool and nothing before it.
  for (const char* of_bodies : {"--verbatim-tool", "--no-references"}) {
    compact->get_option(of_bodies)->needs(body);
  }
  compact->callback([&outcome, compact_options] { outcome = run_compact(*compact_options); });

  auto expand_options = std::make_shared<ExpandOptions>();
  CLI::App* expand =
      app.add_subcommand("expand",
                         "write the original of the compact form on stdin; a text whose first line "
                         "is no form's header "
                         "is written as it is, so that this undoes 'compact' for every text");
  auto* expand_body = expand->add_flag(
      "--body", expand_options->body,
      "stdin is a request body as the proxy forwards it (content-encoding removed): write it with "
      "each compacted tool output expanded and every other byte as it is; a body that the proxy "
      "would not touch is written as it is");
  expand
      ->add_option("--target", expand_options->target,
                   "with --body: the request's path, for a body whose shape does not tell its "
                   "format")
      ->type_name("PATH")
      ->needs(expand_body);
  expand
      ->add_option("--max-bytes", expand_options->max_bytes,
                   "fail rather than write an original of more bytes: a short form can stand for a "
                   "very long text")
      ->check(fault_of_whole_number)
      ->capture_default_str();
  expand->callback([&outcome, expand_options] { outcome = run_expand(*expand_options); });
}

}  // namespace tare
