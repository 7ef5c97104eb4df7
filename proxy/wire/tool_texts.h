// The texts in the value that a tool gave back, whatever shape it has: a string, or a list with
// text parts or with the streams of commands in it.
#pragma once

#include <span>
#include <vector>

#include "proxy/wire/json_walk.h"

namespace tare::wire {

class ToolTexts {
 public:
  // Reads the value of the member that holds the output. False when it is broken.
  bool take(const JsonWalk& walk, JsonWalk::Value& value);

  enum class Lists {
    parts,    // {"type":"text" | "input_text" | "output_text","text":...}
    streams,  // {"stdout":...,"stderr":...}
  };

  // The string, or the text parts of the list; nothing when the member stood twice.
  std::span<const Span> texts(Lists lists = Lists::parts) const;

  // Adds each text as an output of `call_id`; of a list, only what is expected in it.
  void add_to(ToolTraffic& traffic, Span call_id, Lists lists, bool has_own_id = true) const;

 private:
  bool take_element(const JsonWalk& walk, JsonWalk::Object& element);

  int times_ = 0;
  bool is_string_ = false;
  std::vector<Span> parts_;  // or the string
  std::vector<Span> streams_;
};

}  // namespace tare::wire
