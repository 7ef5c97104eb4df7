// What went wrong, where, and what to do about it: one line that a person can act on.
//
// Functions that can fail return Result<T>; exceptions stay inside third-party calls. Only main()
// prints and chooses an exit code.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace tare {

struct Error {
  enum class Code {
    usage,      // the caller's words are off: exit code 2
    missing,    // a needed thing is not there: exit code 3
    io,         // the system refused a read, a write, a bind, a start
    invalid,    // data that is not what it should be
    timed_out,  // a limit ran out
    crashed,    // a process ended when it should not have
  };

  Code code = Code::invalid;
  std::string message;  // "arms/x/arm.json: /ready/http: expected a path that starts with '/',
                        // found \"health\""
  std::string remedy;   // "see docs/adding-an-arm.md, section ready"; may be empty

  static Error usage(std::string message, std::string remedy = {});
  static Error missing(std::string message, std::string remedy);
  static Error io(std::string message, std::string remedy = {});
  // An io error that ends in the text of `error_number` (an errno value).
  static Error io_errno(std::string message, int error_number, std::string remedy = {});
  static Error invalid(std::string message, std::string remedy = {});
  static Error timed_out(std::string message, std::string remedy = {});
  static Error crashed(std::string message, std::string remedy = {});

  // "message (remedy)" on one line.
  std::string text() const;
  // 1, 2 or 3: see docs of the command line.
  int exit_code() const;
};

template <typename T>
using Result = std::expected<T, Error>;

// return fail(Error::io("..."));
inline std::unexpected<Error> fail(Error error) {
  return std::unexpected<Error>(std::move(error));
}

}  // namespace tare
