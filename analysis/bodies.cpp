#include "analysis/bodies.h"

#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "analysis/tokens.h"
#include "common/hash.h"
#include "common/zstd_stream.h"

namespace tare::analysis {
namespace {

using nlohmann::json;

// Walks a text that is known to be valid JSON, and says where values stand.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  char peek() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
      ++at_;
    }
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  // Calls `member(key)` with the scanner at each member's value, which it must step over.
  template <typename Function>
  void object(Function member) {
    open();
    while (peek() != '}') {
      const std::string key = string_value();
      peek();
      ++at_;  // the colon
      member(key);
      if (peek() == ',') ++at_;
    }
    ++at_;
  }

  template <typename Function>
  void array(Function element) {
    open();
    while (peek() != ']') {
      element();
      if (peek() == ',') ++at_;
    }
    ++at_;
  }

  // Steps over a value; returns its place.
  std::pair<std::size_t, std::size_t> skip() {
    const char first = peek();
    const std::size_t begin = at_;
    if (first == '"') {
      skip_string();
    } else if (first == '{' || first == '[') {
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
    } else {
      at_ = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
    }
    return {begin, at_};
  }

  std::string string_value() {
    const auto [begin, end] = skip();
    return json::parse(text_.substr(begin, end - begin)).get<std::string>();
  }

 private:
  void open() {
    peek();
    ++at_;
  }

  void skip_string() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// The scanner stands at an item of a Responses body's input.
void add_item(Scanner& scanner, std::string_view text, std::size_t item,
              std::vector<ToolOutput>& outputs) {
  std::string type;
  std::optional<ToolOutput> output;
  scanner.object([&](const std::string& key) {
    const bool is_string = scanner.peek() == '"';
    if (key == "type") type.clear();
    if (key == "output") output.reset();
    if (key == "type" && is_string) {
      type = scanner.string_value();
    } else if (key == "output" && is_string) {
      const auto [begin, end] = scanner.skip();
      output = ToolOutput{item, begin, end,
                          json::parse(text.substr(begin, end - begin)).get<std::string>()};
    } else {
      scanner.skip();
    }
  });
  if (type == "function_call_output" && output) outputs.push_back(std::move(*output));
}

std::vector<ToolOutput> find_outputs(std::string_view text) {
  std::vector<ToolOutput> outputs;
  Scanner scanner(text);
  if (scanner.peek() != '{') return outputs;
  scanner.object([&](const std::string& key) {
    if (key != "input" || scanner.peek() != '[') {
      scanner.skip();
      return;
    }
    outputs.clear();
    std::size_t item = 0;
    scanner.array([&] {
      if (scanner.peek() == '{') {
        add_item(scanner, text, item, outputs);
      } else {
        scanner.skip();
      }
      ++item;
    });
  });
  return outputs;
}

}  // namespace

StoredBody parse_body(std::string bytes) {
  StoredBody body;
  body.bytes = std::move(bytes);
  body.readable = json::accept(body.bytes);
  if (!body.readable) return body;
  body.outputs = find_outputs(body.bytes);
  for (const auto& output : body.outputs) body.output_tokens += estimate_tokens(output.text);
  return body;
}

const StoredBody* Bodies::find(const std::string& sha256) {
  auto at = slots_.find(sha256);
  if (at == slots_.end()) at = slots_.emplace(sha256, load(sha256)).first;
  return at->second.there ? &at->second.body : nullptr;
}

Bodies::Slot Bodies::load(const std::string& sha256) {
  if (sha256.size() != 64 || sha256.find_first_not_of("0123456789abcdef") != std::string::npos) {
    warnings_.push_back(fmt::format("bodies: \"{}\" is not a SHA-256", sha256.substr(0, 64)));
    return {};
  }
  const std::string name = fmt::format("bodies/{}/{}.zst", sha256.substr(0, 2), sha256);
  auto content = zstd_read_file(folder_ / name);
  if (!content) {
    warnings_.push_back(name + ": it is not there or cannot be read");
    return {};
  }
  if (!content->damage.empty() || sha256_hex(content->bytes) != sha256) {
    warnings_.push_back(name + ": damaged: its content does not have this SHA-256");
    return {};
  }
  Slot slot{true, parse_body(std::move(content->bytes))};
  const auto counted = counted_.find(sha256);
  if (counted != counted_.end()) slot.body.output_tokens = counted->second;
  return slot;
}

}  // namespace tare::analysis
