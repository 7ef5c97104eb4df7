#include "proxy/wire/json_walk.h"

#include <bit>
#include <cstring>
#include <memory>

namespace tare::wire {
namespace {

constexpr std::size_t smallest_capacity = std::size_t{64} << 10;
// A thread that met a larger body gives its buffers back.
constexpr std::size_t largest_kept_capacity = std::size_t{2} << 20;

// The reader wants bytes past the end of the body that may be read, so the body is copied once.
struct Scratch {
  std::unique_ptr<char[]> buffer;
  std::size_t capacity = 0;
  simdjson::ondemand::parser parser{};

  bool load(std::string_view body) {
    if (body.size() > capacity) {
      const std::size_t wanted = std::max(smallest_capacity, std::bit_ceil(body.size()));
      buffer = std::make_unique_for_overwrite<char[]>(wanted + simdjson::SIMDJSON_PADDING);
      if (parser.allocate(wanted)) return false;
      capacity = wanted;
    }
    std::memcpy(buffer.get(), body.data(), body.size());
    std::memset(buffer.get() + body.size(), ' ', simdjson::SIMDJSON_PADDING);
    return true;
  }
};

using VisitRoot = std::function<bool(const JsonWalk&, JsonWalk::Value&)>;

bool walk_loaded(Scratch& scratch, std::size_t size, const VisitRoot& visit) {
  const JsonWalk walk(std::string_view(scratch.buffer.get(), size));
  simdjson::ondemand::document document;
  JsonWalk::Value root;
  if (scratch.parser.iterate(scratch.buffer.get(), size, size + simdjson::SIMDJSON_PADDING)
          .get(document) ||
      document.get_value().get(root) || !visit(walk, root)) {
    return false;
  }
  const char* after = nullptr;
  return document.current_location().get(after) == simdjson::OUT_OF_BOUNDS;
}

}  // namespace

bool JsonWalk::string(Value& value, Span& span) const {
  const std::string_view token = value.raw_json_token();  // may carry blanks at its end
  if (token.empty() || token.front() != '"') return false;
  span.begin = static_cast<std::size_t>(token.data() - text_.data());
  span.end = span.begin + token.rfind('"') + 1;
  return span.end - span.begin >= 2;
}

bool JsonWalk::object(Value& value, Span& span) const {
  using Type = simdjson::ondemand::json_type;
  span = {};
  Type type;
  if (value.type().get(type)) return false;
  if (type != Type::object) return true;
  Object object;
  std::string_view raw;
  if (value.get_object().get(object) || object.raw_json().get(raw)) return false;
  span.begin = static_cast<std::size_t>(raw.data() - text_.data());
  span.end = span.begin + raw.rfind('}') + 1;
  return true;
}

bool walk_root(std::string_view body, const VisitRoot& visit) {
  // Later versions of simdjson skip a byte order mark; whether it may stand there is the
  // upstream's to say.
  if (body.empty() || body.starts_with("\xEF\xBB\xBF")) return false;
  thread_local Scratch scratch;
  const bool read = scratch.load(body) && walk_loaded(scratch, body.size(), visit);
  if (scratch.capacity > largest_kept_capacity) scratch = Scratch{};
  return read;
}

bool walk_list(std::string_view body, std::string_view list,
               const std::function<bool(const JsonWalk&, JsonWalk::Object&)>& visit,
               const std::function<void(const JsonWalk&, JsonWalk::Key, JsonWalk::Value&)>& other) {
  return walk_root(body, [&](const JsonWalk& walk, JsonWalk::Value& root) {
    int lists = 0;
    JsonWalk::Object object;
    if (root.get_object().get(object)) return false;
    const bool read = walk.each_member(object, [&](JsonWalk::Key key, JsonWalk::Value& value) {
      if (!(key == list)) {
        if (other) other(walk, key, value);
        return true;
      }
      ++lists;
      return walk.each_object(value,
                              [&](JsonWalk::Object& element) { return visit(walk, element); });
    });
    return read && lists <= 1;
  });
}

}  // namespace tare::wire
