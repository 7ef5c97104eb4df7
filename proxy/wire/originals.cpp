#include "proxy/wire/originals.h"

#include <utility>

namespace tare::wire {

std::string_view name_of(const ToolOutput& output, std::string_view body) {
  if (!output.is_whole || !output.has_own_id || output.call_id.empty()) return {};
  const std::string_view quoted = output.call_id.of(body);
  return quoted.substr(1, quoted.size() - 2);
}

void Originals::retire(std::string_view name) {
  if (!name.empty()) keep(name, {});  // a name that comes twice is none
}

void Originals::add(std::string_view name, std::string text) {
  if (!name.empty() && text.size() >= least_text_bytes) keep(name, std::move(text));
}

void Originals::keep(std::string_view name, std::string text) {
  const Named& kept = kept_.emplace_back(std::string(name), std::move(text));
  kept_bytes_ += sizeof kept + kept.name.capacity() + kept.text.capacity();
}

void Originals::add(std::string_view name, OutputText&& output) {
  if (output.size() == 1) add(name, std::move(output).take_text());
}

const compact::Earlier& Originals::earlier() {
  for (; indexed_ < kept_.size(); ++indexed_) {
    earlier_.add(kept_[indexed_].name, kept_[indexed_].text);
  }
  return earlier_;
}

}  // namespace tare::wire
