// Writes a plan down in the grammar of docs/compact-form.md: chooses marks that occur nowhere they
// would be misread, and a legend of the features used.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/compact/writer_plan.h"
#include "proxy/compact/writer_printer.h"
#include "proxy/compact/writer_records.h"

namespace tare::compact {

// The form of a text; nothing when no mark or no bracket is free.
std::optional<std::string> print(const Plan& plan, const Records& records,
                                 const PrintOptions& options);

// The form of a text whose parts have a plan each.
class PartPrinter {
 public:
  // For the lines of `source`; nothing when each mark begins one of them. `options` outlive it.
  static std::optional<PartPrinter> make(LineCutter source, const PrintOptions& options);

  // False when the mark or the brackets are not free in the part's plan: then nothing is added. A
  // plan without templates is always taken.
  bool add(const Plan& plan, const Records& records, bool ditto);

  // After one part at least: as Printer::finish().
  std::string finish(const Records& all, std::size_t line_count) {
    return printer_->finish(all, line_count);
  }

 private:
  PartPrinter(std::string_view mark, const PrintOptions& options)
      : mark_(mark), options_(options) {}

  std::string_view mark_;
  const PrintOptions& options_;
  Brackets brackets_;
  std::unique_ptr<Printer> printer_;  // from the first part on
};

// The form of a text that is all of an earlier output.
std::string print_reference(const Reference& whole, const Earlier& earlier, bool ends_line);

// The form that only repeats the lines of `text`: for a text that would itself be taken for a form.
std::string print_verbatim(std::string_view text);

}  // namespace tare::compact
