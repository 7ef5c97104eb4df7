// A JSON document as records: minified tokens in their raw spelling, one child of a chosen
// container on a line.
//
// The white space of the document must follow one layout law, checked while reading; what follows
// the last value that fits it (a document cut in the middle, words behind it) is kept raw, when it
// is short. Containers nest as deep as the text allows: nothing here recurses.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/compact/writer_records.h"

namespace tare::compact {

class JsonDocument {
 public:
  // `text` must outlive the document. Nothing when the text is not JSON in a known layout.
  static std::optional<JsonDocument> read(std::string_view text);

  // Outermost containers with at least three container children are cut; with `nested`, such inside
  // records too. Nothing when there is no such container. The lines point into this document and
  // its text.
  std::optional<Records> cut(bool nested) const;

  // The whole document as one line; nothing when that is what it is.
  std::optional<Records> uncut() const;

 private:
  friend class JsonReader;
  static constexpr std::uint32_t no_container = UINT32_MAX;

  struct Container {
    std::uint32_t parent = no_container;
    std::uint32_t container_children = 0;
    bool array = false;
  };
  struct Mark {  // a bracket or comma in the minified text
    std::uint32_t at;
    std::uint32_t container;
    char byte;
  };

  void add_tail(Records& records) const;

  std::unique_ptr<char[]> minified_;
  std::size_t size_ = 0;
  std::vector<Container> containers_;
  std::vector<Mark> marks_;
  std::string layout_;
  std::optional<std::string_view> tail_;
};

}  // namespace tare::compact
