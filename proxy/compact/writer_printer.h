// Writes the parts of a form one behind the other: the lines below the header, then the header,
// whose legend tells what was used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/compact/writer_ditto.h"
#include "proxy/compact/writer_legend.h"
#include "proxy/compact/writer_plan.h"
#include "proxy/compact/writer_records.h"

namespace tare::compact {

struct PrintOptions {
  bool ends_line = false;            // the text does
  bool ditto = false;                // values like the one above become a mark
  const Earlier* earlier = nullptr;  // what references are to
  std::stop_token stop = {};
};

// The mark and the brackets must be free in all that is added. For one form and one thread.
class Printer {
 public:
  // `mark` and `options` outlive it.
  Printer(std::string_view mark, const Brackets& brackets, const PrintOptions& options)
      : options_(options), mark_(mark), brackets_(brackets) {}

  // Tells the next records, by the plan for them.
  void add(const Plan& plan, const Records& records, bool ditto);

  // The form of all that was added, which `all` describes and has `line_count` lines.
  std::string finish(const Records& all, std::size_t line_count);

 private:
  struct Use {
    std::size_t headings = 0;  // stretches of rows under its heading
    bool labelled = false;     // instances elsewhere
    std::string name;          // empty until it is defined
  };
  void note_uses();
  void begin_line() { body_ += '\n'; }
  void define(std::uint32_t index);
  void append_definition(const Template& shape, std::string_view before);
  // A line that begins with the mark and the template's name, defined before if it must be.
  void begin_named(std::uint32_t index);
  void change_heading(std::uint32_t heading);
  // Returns the place of the next item to print.
  std::size_t print_item(std::size_t i);
  void print_verbatim(const Item& item);
  void print_run(const Repeat& run);
  void print_reference(std::uint32_t index);
  void begin_block(std::uint32_t source);
  void print_row(const Item& item);
  // Neighbouring instances of a template without open slots are one range.
  std::size_t print_closed(std::size_t i);
  std::string header(const Records& all, std::size_t line_count) const;

  static constexpr std::uint32_t other_part = no_template - 1;  // a heading of the part before

  const PrintOptions& options_;
  std::string_view mark_;
  Brackets brackets_;
  UsedFeatures used_;
  std::uint32_t heading_ = no_template;
  DittoRows ditto_;
  std::size_t names_ = 0;
  std::string body_;
  // Of the part that is added.
  const Plan* plan_ = nullptr;
  const Records* records_ = nullptr;
  bool dittos_ = false;
  std::vector<Use> uses_;
  const Item* row_above_ = nullptr;                   // printed under its heading
  std::map<std::uint32_t, std::string> block_names_;  // by source
};

}  // namespace tare::compact
