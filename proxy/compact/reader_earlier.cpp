#include "proxy/compact/reader_earlier.h"

namespace tare::compact::reader {

std::string_view EarlierLines::Output::stretch(std::uint64_t first, std::uint64_t last) const {
  const std::size_t begin = begins[first - 1];
  const std::size_t end = last < lines() ? begins[last] - 1 : text.size();
  return text.substr(begin, end - begin);
}

const EarlierLines::Output* EarlierLines::find(std::string_view name) {
  if (const auto known = outputs_.find(name); known != outputs_.end()) return &known->second;
  const auto text = earlier_ != nullptr ? earlier_->find(name) : std::nullopt;
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
