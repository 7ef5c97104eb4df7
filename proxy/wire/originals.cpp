#include "proxy/wire/originals.h"

#include <utility>

namespace tare::wire {
namespace {

// A reference to less than this saves nothing. The reader goes by it too: it is part of the form.
constexpr std::size_t least_text_bytes = 256;

}  // namespace

std::string_view name_of(const ToolOutput& output, std::string_view body) {
  if (!output.is_whole || !output.has_own_id || output.call_id.empty()) return {};
  const std::string_view quoted = output.call_id.of(body);
  return quoted.substr(1, quoted.size() - 2);
}

void Originals::add(std::string_view name, std::string text) {
  if (name.empty() || text.size() < least_text_bytes) return;
  const std::string& kept_name = kept_.emplace_back(name);
  const std::string& kept_text = kept_.emplace_back(std::move(text));
  text_bytes_ += kept_name.capacity() + kept_text.capacity() + 2 * sizeof(std::string);
  earlier_.add(kept_name, kept_text);
}

void Originals::add(std::string_view name, OutputText&& output) {
  if (output.size() == 1) add(name, std::move(output).take_text());
}

}  // namespace tare::wire
