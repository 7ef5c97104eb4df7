// JSON as records: minified tokens in their raw spelling, one child of a chosen container on a
// line.
//
// The text may be one document, or several below each other. The white space must follow one layout
// law, checked while reading; lines before the JSON and what follows the last value that fits (a
// document cut in the middle, words behind it) are kept raw. Containers nest 4096 deep at most;
// nothing here recurses.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/compact/writer_records.h"

namespace tare::compact {

class JsonDocument {
 public:
  // `text` must outlive the document. Nothing when no JSON in a known layout makes up most of it.
  static std::optional<JsonDocument> read(std::string_view text, const std::stop_token& stop);

  // Several documents are a record each. Else the outermost containers with at least three
  // container children are cut; with `nested`, such inside records and documents too. Nothing when
  // that leaves the text as it is, or as one line. The lines point into this document and its text.
  std::optional<Records> cut(bool nested) const;

  // The whole document as one line; nothing when that is what it is.
  std::optional<Records> uncut() const;

 private:
  friend class JsonReader;
  static constexpr std::uint32_t no_container = UINT32_MAX;
  static constexpr std::uint32_t outside = 0;  // holds the documents

  // Those with containers in them, in the order of their beginnings; the others are never cut.
  struct Container {
    std::uint32_t parent = no_container;
    std::uint32_t container_children : 31 = 0;
    std::uint32_t array : 1 = 0;
  };
  struct Mark {  // a bracket or comma of one of them in the minified text
    std::uint32_t at;
    std::uint32_t container;
  };

  char byte(const Mark& mark) const { return minified_[mark.at]; }
  std::vector<bool> containers_to_cut(bool nested) const;
  Records begin_records() const;
  void add_tail(Records& records) const;

  std::unique_ptr<char[]> minified_;
  std::size_t size_ = 0;
  std::size_t tokens_ = 0;
  std::vector<Container> containers_;
  std::vector<Mark> marks_;
  std::string layout_;
  bool several_ = false;
  std::string_view banner_;  // the lines before the JSON, each with its line feed
  std::optional<std::string_view> tail_;
};

}  // namespace tare::compact
