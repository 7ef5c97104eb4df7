// Turns a tool output into the compact form and back.
//
// compact() is a pure function: the same text, options and earlier outputs give the same bytes on
// every thread, machine and day, so a request that only grows keeps its prefix. It never throws and
// never fails: a text that cannot be made smaller, or whose form does not expand to it again, comes
// back as it is. All functions may be called from several threads at once. Texts are byte strings:
// they need not be UTF-8. Grammar: docs/compact-form.md.
//
// A stop_token, where one is given, is asked for each record or some thousand bytes: once a stop is
// requested the call only frees what it holds and returns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>

#include "common/error.h"
#include "proxy/compact/earlier.h"

namespace tare::compact {

// How much the reader of a form has to know.
enum class Level : std::uint8_t {
  plain,     // rows under headings, lines that come again: no arithmetic, nothing out of its order
  standard,  // and rows by a label, templates of several lines, blocks, laws in the line number
  full,      // and values that stand for the one above, names for long paths
};

// What may stand in place of a text.
enum class Treatment : std::uint8_t {
  compact,       // any form
  repeats_only,  // only one that says that it is all of an earlier output
  leave,         // none, but what looks like a form is wrapped all the same
};

struct Options {
  std::size_t min_bytes = 512;  // shorter texts are not worth a legend
  bool alerts_literal = true;   // rare lines that look like failures stay as they are
  Level level = Level::standard;
  Treatment treatment = Treatment::compact;
};

struct Compacted {
  std::string text;      // the form, or the original
  bool changed = false;  // text is a form
  bool stopped = false;  // a stop was requested: the original stays, and is not repeated in `text`
};

// The form of `text`, when it is smaller and expands to `text` again; else `text` itself. With
// `earlier`, the form may refer to lines of the outputs in it; without, its bytes depend on `text`
// and `options` alone.
Compacted compact(std::string_view text, const Options& options = {},
                  const Earlier* earlier = nullptr, const std::stop_token& stop = {});

// What compact() finds in `text` and saves, piece by piece, or why it leaves it as it is: lines for
// a person, tokens estimated.
std::string explain(std::string_view text, const Options& options = {},
                    const Earlier* earlier = nullptr);

// Rebuilds the original of a form. `max_bytes` bounds the result: a short form can stand for a very
// long text. A text that is not a form (no header in its first line) is an error of code invalid,
// as is a form with a fault; each message names the form's line. `earlier` holds the outputs that
// stood before it when it was written. A requested `stop` is an error too.
Result<std::string> expand(std::string_view form, std::size_t max_bytes = std::size_t{64} << 20,
                           const Earlier* earlier = nullptr, const std::stop_token& stop = {});

// Whether expand(form) is `text`; the text is not put together for it.
bool expands_to(std::string_view form, std::string_view text, const Earlier* earlier = nullptr,
                const std::stop_token& stop = {});

// True when the first line of `text` has the shape of a form's header, so that expand() would take
// it for one.
bool looks_like_form(std::string_view text);

}  // namespace tare::compact
