// When a started arm takes requests: a free port for it, and one look at each kind of sign. Nothing
// here waits longer than the limit it is given. Loopback only.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "common/error.h"

namespace tare::harness {

// A port of 127.0.0.1 that nobody listens on, chosen by the system. Another program can take it
// before the arm does: whoever starts the arm tries once more then.
Result<int> free_port();
bool port_is_free(int port);

// A connection to the port is accepted.
bool accepts_connection(int port, std::chrono::milliseconds limit);

// The status of GET `path`; nothing when no response begins within the limit.
std::optional<int> http_status(int port, std::string_view path, std::chrono::milliseconds limit);

// The first whole line of a file that another process is writing, without its end.
std::optional<std::string> first_line(const std::filesystem::path& file);

// Up to `lines` last lines of a text file, in one line with " | " between them, at most 2,000
// bytes; empty when there is none.
std::string last_lines(const std::filesystem::path& file, int lines);

}  // namespace tare::harness
