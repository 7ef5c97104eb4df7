// Conversations of a coding agent, made of given tool outputs: what a proxy sees when a history
// that only grows is sent again with each turn. Of each eight turns four bring something new, two
// give an earlier output again, in one a file is read again after an edit, in one a command is run
// again, in an order of chance. Deterministic by seed, on every platform; turn i is the same
// whatever number of turns is asked for. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/request_body.h"

namespace tare::harness {

// A tool output that turns are made of.
struct SourceOutput {
  std::string class_name;  // "code", "prose": of read_file; others of exec_command
  std::string name;        // the file that is read, or the command
  std::string text;
};

enum class Repeat : std::uint8_t {
  none,    // an output that was not there yet; once all were, one with other figures
  again,   // an earlier turn's output, byte for byte
  edited,  // one to three lines changed, added or left out; of a file, if one was read
  rerun,   // other figures in about an eighth of its lines; of a build or test, if one was run
};

struct Turn {
  std::string tool;
  std::string arguments;  // JSON
  std::string output;
  Repeat repeat = Repeat::none;
};

// `sources` must hold one at least.
std::vector<Turn> make_conversation(std::span<const SourceOutput> sources, std::uint64_t seed,
                                    std::size_t turns);

// The request body after these turns.
std::string conversation_body(Route route, std::span<const Turn> turns);

}  // namespace tare::harness
