#include "analysis/output_locator.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace tare::analysis {
namespace {

using nlohmann::json;

struct Place {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Walks a text that is known to be valid JSON, and says where values stand.
class Scanner {
 public:
  Scanner(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  char peek() {
    at_ = std::min(text_.find_first_not_of(" \t\n\r", at_), text_.size());
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  // Steps over one sign.
  void step() {
    peek();
    ++at_;
  }

  // Steps over a value; returns its place.
  Place skip() {
    const char first = peek();
    const std::size_t begin = at_;
    if (first == '"') {
      skip_string();
    } else if (first == '{' || first == '[') {
      skip_container();
    } else {
      at_ = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
    }
    return {begin, at_};
  }

 private:
  void skip_container() {
    std::size_t depth = 0;
    do {
      const char c = peek();
      if (c == '"') {
        skip_string();
        continue;
      }
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      ++at_;
    } while (depth > 0 && at_ < text_.size());
  }

  void skip_string() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    ++at_;
  }

  std::string_view text_;
  std::size_t at_;
};

class Locator {
 public:
  explicit Locator(std::string_view text) : text_(text) {}

  std::vector<ToolOutput> find() {
    const auto root = members({0, text_.size()});
    for_each(root, "input", "", [&](Place item, const std::string& pointer) {
      const auto fields = members(item);
      if (text_of(fields, "type").ends_with("_output")) {
        add(fields, "output", pointer, text_of(fields, "call_id"));
      }
    });
    for_each(root, "messages", "", [&](Place message, const std::string& pointer) {
      const auto fields = members(message);
      if (text_of(fields, "role") == "tool") {
        add(fields, "content", pointer, text_of(fields, "tool_call_id"));
        return;
      }
      for_each(fields, "content", pointer, [&](Place block, const std::string& at) {
        const auto inner = members(block);
        if (text_of(inner, "type") == "tool_result") {
          add(inner, "content", at, text_of(inner, "tool_use_id"));
        }
      });
    });
    std::ranges::sort(outputs_, {}, &ToolOutput::begin);
    return std::move(outputs_);
  }

 private:
  using Members = std::map<std::string, Place>;

  // Of an object; of another value none.
  Members members(Place object) const {
    Members found;
    Scanner scanner(text_, object.begin);
    if (scanner.peek() != '{') return found;
    for (scanner.step(); scanner.peek() != '}';) {
      const std::string key = string_at(scanner.skip());
      scanner.step();  // the colon
      found[key] = scanner.skip();
      if (scanner.peek() == ',') scanner.step();
    }
    return found;
  }

  // Calls `use` with each element of the array under `key` and its pointer.
  template <typename Function>
  void for_each(const Members& fields, const char* key, const std::string& pointer, Function use) {
    const auto at = fields.find(key);
    if (at == fields.end()) return;
    Scanner scanner(text_, at->second.begin);
    if (scanner.peek() != '[') return;
    scanner.step();
    for (std::size_t i = 0; scanner.peek() != ']'; ++i) {
      use(scanner.skip(), fmt::format("{}/{}/{}", pointer, key, i));
      if (scanner.peek() == ',') scanner.step();
    }
  }

  std::string string_at(Place place) const {
    return json::parse(text_.substr(place.begin, place.end - place.begin)).get<std::string>();
  }

  bool is_string(const Members& fields, const char* key) const {
    const auto at = fields.find(key);
    return at != fields.end() && text_[at->second.begin] == '"';
  }

  std::string text_of(const Members& fields, const char* key) const {
    return is_string(fields, key) ? string_at(fields.at(key)) : "";
  }

  void add(const Members& fields, const char* key, const std::string& pointer,
           const std::string& call_id) {
    if (is_string(fields, key)) {
      add_text(fields.at(key), fmt::format("{}/{}", pointer, key), call_id);
      return;
    }
    for_each(fields, key, pointer, [&](Place part, const std::string& at) {
      const auto inner = members(part);
      if (is_string(inner, "text")) add_text(inner.at("text"), at + "/text", call_id);
    });
  }

  void add_text(Place place, std::string pointer, const std::string& call_id) {
    outputs_.push_back({std::move(pointer), call_id, place.begin, place.end, string_at(place)});
  }

  std::string_view text_;
  std::vector<ToolOutput> outputs_;
};

}  // namespace

std::vector<ToolOutput> find_outputs(std::string_view body) {
  return Locator(body).find();
}

}  // namespace tare::analysis
