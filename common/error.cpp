#include "common/error.h"

#include <fmt/format.h>

#include <cstring>

namespace tare {

Error Error::usage(std::string message, std::string remedy) {
  return {Code::usage, std::move(message), std::move(remedy)};
}

Error Error::missing(std::string message, std::string remedy) {
  return {Code::missing, std::move(message), std::move(remedy)};
}

Error Error::io(std::string message, std::string remedy) {
  return {Code::io, std::move(message), std::move(remedy)};
}

Error Error::io_errno(std::string message, int error_number, std::string remedy) {
  return io(fmt::format("{}: {}", message, strerrordesc_np(error_number)), std::move(remedy));
}

Error Error::invalid(std::string message, std::string remedy) {
  return {Code::invalid, std::move(message), std::move(remedy)};
}

Error Error::timed_out(std::string message, std::string remedy) {
  return {Code::timed_out, std::move(message), std::move(remedy)};
}

Error Error::crashed(std::string message, std::string remedy) {
  return {Code::crashed, std::move(message), std::move(remedy)};
}

std::string Error::text() const {
  return remedy.empty() ? message : fmt::format("{} ({})", message, remedy);
}

int Error::exit_code() const {
  switch (code) {
    case Code::usage:
      return 2;
    case Code::missing:
      return 3;
    default:
      return 1;
  }
}

}  // namespace tare
