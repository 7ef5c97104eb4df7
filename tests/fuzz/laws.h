// What must hold for every text given to the writer, and every form given to the reader. Shared by
// the fuzz targets and the tests.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "proxy/compact/compact.h"
#include "proxy/compact/writer.h"

namespace tare::test {

// The law that the text breaks, in words; empty when it breaks none.
inline std::string_view broken_law(std::string_view text, const compact::Options& options,
                                   const compact::Earlier* earlier = nullptr) {
  using namespace compact;
  constexpr std::size_t most_added = 64;  // to a text that looks like a form
  const auto expands = [&](std::string_view form) {
    const auto back = expand(form, text.size(), earlier);
    return back.has_value() && *back == text && expands_to(form, text, earlier);
  };
  // The writer's own form must be exact even where compact() would not use it.
  const auto form = write_form(text, options, earlier);
  if (form && !expands(form->text)) return "the writer's form does not expand to the text";
  const auto made = compact::compact(text, options, earlier);
  if (!made.changed && made.text != text) return "an unchanged text is not the original";
  if (made.changed && !expands(made.text)) return "the form does not expand to the text";
  if (looks_like_form(text) ? made.text.size() > text.size() + most_added
                            : made.changed && made.text.size() >= text.size())
    return "the form is not smaller";
  if (made.changed != looks_like_form(made.text)) return "form and text cannot be told apart";
  return {};
}

// The same for a form of any bytes: a text within the limit, or an error with a message.
inline std::string_view broken_reader_law(std::string_view form,
                                          const compact::Earlier* earlier = nullptr) {
  constexpr std::size_t max_bytes = std::size_t{1} << 20;
  const auto text = compact::expand(form, max_bytes, earlier);
  if (!text) return text.error().message.empty() ? "an error without a message" : "";
  if (text->size() > max_bytes) return "the text is longer than the limit";
  if (!compact::looks_like_form(form)) return "what is no form was expanded";
  return {};
}

}  // namespace tare::test
