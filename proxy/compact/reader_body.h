// The lines below a form's header, obeyed one after the other.
//
// A Body belongs to one reading of one form, into whose text its views point. After an error it is
// not used any further.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string_view>
#include <variant>

#include "common/error.h"
#include "proxy/compact/reader_earlier.h"
#include "proxy/compact/reader_header.h"
#include "proxy/compact/reader_template.h"
#include "proxy/compact/reader_text.h"

namespace tare::compact::reader {

class Body {
 public:
  // `first_form_line` numbers the first line for messages, `form_bytes` is the size of the body.
  // Both `header` and `output` outlive the Body; lines go to `output`, each with its line feed.
  // `earlier` may be null: then a reference is an error.
  Body(const Header& header, std::size_t first_form_line, std::size_t form_bytes,
       const Earlier* earlier, Output& output, const std::stop_token& stop)
      : header_(header),
        output_(output),
        earlier_(earlier),
        stop_(stop),
        form_line_(first_form_line - 1),
        form_bytes_(form_bytes) {}

  // Obeys the next line of the form (without its line feed).
  Result<void> read_line(std::string_view text);
  // After the last line: nothing may be open, and the lines must be as many as the header says.
  Result<void> finish();

 private:
  // A place in the output that a label names.
  struct Block {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::uint64_t lines = 0;
    std::uint64_t lines_before = 0;
    bool open = true;
  };
  using Named = std::variant<Template, Block>;

  // One function for each kind of line; `text` is what stands behind the mark.
  Result<void> directive(std::string_view text);
  Result<void> next_template_line(std::string_view text);
  Result<void> anonymous(std::string_view text);
  Result<void> repeat(std::string_view text);
  Result<void> reference(std::string_view text);
  Result<void> close_block(std::string_view text);
  Result<void> labelled(std::string_view text);

  Result<void> define(std::string_view label, std::string_view text);
  Result<void> use(Template& named, std::string_view text);
  Result<void> use(const Block& block, std::string_view text);
  Result<void> range(const Template& named, std::string_view text);
  Result<void> row(Template& named, std::string_view text);
  Result<void> plain(std::string_view text);
  Result<void> instance(const Template& named);

  // [parameter list] between template
  Result<Template> parse_template(std::string_view text, std::string_view between);
  Result<void> end_definition();
  std::unexpected<Error> wrong(std::string_view what) const;
  // What each step that adds lines ends with: neither limit may be passed.
  Result<void> check_limits() const;

  const Header& header_;
  Output& output_;
  EarlierLines earlier_;
  const std::stop_token& stop_;
  const EarlierLines::Output* referred_ = nullptr;  // by the reference before
  std::size_t form_line_;                           // the one read last
  std::size_t form_bytes_;
  std::uint64_t lines_ = 0;  // in the output
  std::uint64_t work_ = 0;   // pieces of templates written so far
  std::map<std::string_view, Named> names_;
  std::optional<Template> anonymous_;
  Template* mode_ = nullptr;      // rows belong to this template; none: lines are plain
  Template* defining_ = nullptr;  // the template that the line before began or went on with
  Block* open_block_ = nullptr;
};

}  // namespace tare::compact::reader
