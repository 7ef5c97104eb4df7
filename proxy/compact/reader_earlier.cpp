#include "proxy/compact/reader_earlier.h"

#include <optional>

namespace tare::compact::reader {
namespace {

bool can_be_referred_to(std::string_view name) {
  constexpr std::string_view allowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:-";
  return !name.empty() && name.size() <= 64 &&
         name.find_first_not_of(allowed) == std::string_view::npos;
}

// The text of the output of this name, when there is exactly one. What the writer thinks of names
// is not asked: a fault there must show in the check.
std::optional<std::string_view> text_of(const Earlier& earlier, std::string_view name) {
  std::optional<std::string_view> text;
  if (!can_be_referred_to(name)) return text;
  for (std::size_t output = 0; output < earlier.size(); ++output) {
    if (earlier.name(output) != name) continue;
    if (text) return std::nullopt;
    text = earlier.text(output);
  }
  return text;
}

}  // namespace

std::string_view EarlierLines::Output::stretch(std::uint64_t first, std::uint64_t last) const {
  const std::size_t begin = begins[first - 1];
  const std::size_t end = last < lines() ? begins[last] - 1 : text.size();
  return text.substr(begin, end - begin);
}

const EarlierLines::Output* EarlierLines::find(std::string_view name) {
  if (const auto known = outputs_.find(name); known != outputs_.end()) return &known->second;
  const auto text = earlier_ != nullptr ? text_of(*earlier_, name) : std::nullopt;
  if (!text) return nullptr;
  Output& output = outputs_[name];
  output.text = *text;
  if (output.text.ends_with('\n')) output.text.remove_suffix(1);
  output.begins.push_back(0);
  for (std::size_t at = 0; (at = output.text.find('\n', at)) != std::string_view::npos;) {
    output.begins.push_back(++at);
  }
  return &output;
}

}  // namespace tare::compact::reader
