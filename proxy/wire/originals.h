// The original tool outputs of a request so far, which the forms of later ones may refer to.
//
// The rewriter and expand_body() fill it by the same rule, each going through the request in order:
// an output counts that is the only text of its call and is not short.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

#include "proxy/compact/earlier.h"
#include "proxy/wire/format.h"
#include "proxy/wire/output_text.h"

namespace tare::wire {

// The name under which an output in `body` can be referred to: its call's id, as it is spelled.
// Empty: it cannot.
std::string_view name_of(const ToolOutput& output, std::string_view body);

class Originals {
 public:
  // A reference to less saves nothing. Reader and writer go by it: it is part of the form.
  static constexpr std::size_t least_text_bytes = 256;

  // Nothing refers to the output of this name any more: another has the same id. Without a name,
  // nothing happens.
  void retire(std::string_view name);
  // Nothing is added without a name, or when `text` is short.
  void add(std::string_view name, std::string text);
  // The output as it came; nothing when it is several texts.
  void add(std::string_view name, OutputText&& output);

  const compact::Earlier& earlier();
  // Whether they are soon made again from the request: one output that is not indexed yet. To keep
  // it would double the memory that a request takes which nothing follows.
  bool are_soon_made_again() const { return indexed_ == 0 && memory_bytes() <= soon_made_bytes; }
  std::size_t memory_bytes() const { return kept_bytes_ + earlier_.memory_bytes(); }

 private:
  static constexpr std::size_t soon_made_bytes = std::size_t{64} << 10;

  struct Named {
    std::string name;
    std::string text;
  };

  void keep(std::string_view name, std::string text);

  std::deque<Named> kept_;  // which stay where they are
  std::size_t kept_bytes_ = 0;
  std::size_t indexed_ = 0;  // of these, what earlier_ has: most requests end with the last one
  compact::Earlier earlier_;
};

}  // namespace tare::wire
