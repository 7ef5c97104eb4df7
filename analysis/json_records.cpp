#include "analysis/json_records.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "analysis/literals.h"

namespace tare::analysis {
namespace {

using nlohmann::json;

constexpr std::size_t most_holders = 4;  // records around a value that are said to hold it

std::uint64_t word_feature(std::string_view word) {
  return std::hash<std::string_view>{}(word);
}

std::uint64_t pair_feature(std::string_view key, std::string_view value) {
  const auto mixed = std::hash<std::string_view>{}(key) * 0x9e3779b97f4a7c15;
  return (mixed ^ (mixed >> 29)) + std::hash<std::string_view>{}(value) * 2 + 1;
}

std::string_view without_ends(std::string_view text, std::string_view ends) {
  const auto first = text.find_first_not_of(ends);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(ends) - first + 1);
}

// From the first line that begins with a bracket to the last bracket.
std::string_view bracketed(std::string_view text) {
  std::size_t begin = 0;
  while (begin < text.size() && text[begin] != '[' && text[begin] != '{') {
    begin = std::min(text.find('\n', begin), text.size() - 1) + 1;
  }
  const auto end = text.find_last_of("]}");
  if (end == text.npos || end < begin) return {};
  return text.substr(begin, end + 1 - begin);
}

}  // namespace

// Fills records as nlohmann reads.
class RecordReader : public nlohmann::json_sax<json> {
 public:
  explicit RecordReader(JsonRecords& records, bool only_pairs = false)
      : records_(records), only_pairs_(only_pairs) {}

  bool read(std::string_view text) {
    places_.clear();
    return json::sax_parse(text, this);
  }

  bool null() override { return value("null"); }
  bool boolean(bool is) override { return value(is ? "true" : "false"); }
  bool number_integer(number_integer_t number) override { return value(std::to_string(number)); }
  bool number_unsigned(number_unsigned_t number) override { return value(std::to_string(number)); }
  bool number_float(number_float_t, const string_t& spelled) override { return value(spelled); }
  bool string(string_t& text) override { return value(text); }
  bool binary(binary_t&) override { return false; }
  bool start_array(std::size_t) override {
    const bool root = places_.empty();
    places_.push_back({.list = true, .record = false, .key = root ? "" : places_.back().key});
    if (only_pairs_) {
      places_.back().row = records_.rows_.size();
      records_.rows_.emplace_back();
    }
    return true;
  }
  bool end_array() override { return leave(); }
  bool start_object(std::size_t) override {
    const bool record = places_.empty() || places_.back().list;
    if (record) {
      around_.push_back(records_.records_++);
      if (!places_.empty()) ++places_.back().length;
    }
    places_.push_back({.list = false, .record = record, .key = ""});
    return true;
  }
  bool key(string_t& name) override {
    places_.back().key = name;
    for (const auto word : words_of(name)) {
      records_.free_.insert(word_feature(word));
      add(word_feature(word));
    }
    return true;
  }
  bool end_object() override { return leave(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    around_.clear();
    return false;
  }

 private:
  struct Place {
    bool list;
    bool record;
    std::string key;         // the last one
    std::size_t row = 0;     // of a list
    std::size_t length = 0;  // of a list: the records in it
  };

  void add_to_row(std::string_view text, std::uint64_t pair) {
    JsonRecords::Row& row = records_.rows_[places_.back().row];
    row.pairs.push_back(pair);
    for (const auto word : words_of(text)) row.words.push_back(word_feature(word));
  }

  bool value(std::string_view text) {
    for (const auto word : words_of(text)) {
      add(word_feature(word));
      if (around_.empty()) records_.free_.insert(word_feature(word));
    }
    if (places_.empty()) return true;
    const auto pair = pair_feature(places_.back().key, text);
    if (places_.back().list) records_.listed_.insert(pair);
    if (places_.back().list && only_pairs_) add_to_row(text, pair);
    if (!places_.back().list) add(pair, true);
    return true;
  }

  void add(std::uint64_t feature, bool is_pair = false) {
    if (only_pairs_ && !is_pair) return;
    // What is asked for holds by its innermost record: its lists may be laid out otherwise.
    const std::size_t holders = only_pairs_ ? 1 : most_holders;
    const std::size_t first = around_.size() - std::min(around_.size(), holders);
    for (std::size_t i = first; i < around_.size(); ++i) {
      records_.holders_.push_back({feature, around_[i]});
    }
  }

  bool leave() {
    if (places_.back().record) around_.pop_back();
    if (places_.back().length > 0) records_.lengths_.insert(places_.back().length);
    places_.pop_back();
    return true;
  }

  JsonRecords& records_;
  std::vector<Place> places_;
  std::vector<std::uint32_t> around_;  // the records that the reader stands in
  bool only_pairs_;
};

std::optional<TableHead> table_head(std::string_view line) {
  line = without_ends(line, " \t\r:");
  const auto close = line.find("]{");
  if (!line.starts_with('[') || !line.ends_with('}') || close == line.npos) return std::nullopt;
  TableHead head;
  const auto [end, fault] = std::from_chars(line.data() + 1, line.data() + close, head.length);
  if (fault != std::errc() || end != line.data() + close) return std::nullopt;
  const std::string_view names = line.substr(close + 2, line.size() - close - 3);
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t comma = std::min(names.find(',', begin), names.size());
    const auto name = names.substr(begin, comma - begin);
    head.names.push_back(name.substr(0, name.find(':')));
    begin = comma + 1;
  }
  return head;
}

std::optional<JsonRecords> JsonRecords::of(std::string_view text) {
  JsonRecords records;
  RecordReader reader(records);
  const auto read_if_json = [&](std::string_view part) {
    part = without_ends(part, " \t\r\n");
    const bool is =
        !part.empty() && (part.front() == '[' || part.front() == '{') && json::accept(part);
    return is && reader.read(part);
  };
  bool any = read_if_json(text) || read_if_json(bracketed(text));
  // Else what lines are JSON by themselves.
  for (std::size_t begin = 0; !any && begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    read_if_json(text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (!any && records.records_ == 0) return std::nullopt;
  std::ranges::sort(records.holders_);
  const auto rest = std::ranges::unique(records.holders_);
  records.holders_.erase(rest.begin(), rest.end());
  return records;
}

std::span<const JsonRecords::Holder> JsonRecords::holders_of(std::uint64_t feature) const {
  const auto found = std::ranges::equal_range(holders_, feature, {}, &Holder::feature);
  return {found.begin(), found.end()};
}

bool JsonRecords::one_record_holds(const Features& features) const {
  std::optional<std::span<const Holder>> fewest;
  for (const auto feature : features) {
    const auto holders = holders_of(feature);
    if (holders.empty()) return false;
    if (!fewest || holders.size() < fewest->size()) fewest = holders;
  }
  if (!fewest || fewest->size() > most_tried) return true;
  return std::ranges::any_of(*fewest, [&](const Holder& holder) {
    return std::ranges::all_of(features, [&](std::uint64_t feature) {
      return std::ranges::binary_search(holders_, Holder{feature, holder.record});
    });
  });
}

bool JsonRecords::holds_words(const Features& words) const {
  const bool free =
      std::ranges::all_of(words, [&](std::uint64_t word) { return free_.contains(word); });
  return free || one_record_holds(words);
}

bool JsonRecords::says_words(std::string_view line) const {
  Features words;
  for (const auto word : words_of(line)) words.push_back(word_feature(word));
  return holds_words(words);
}

bool JsonRecords::heads(const TableHead& head) const {
  return lengths_.contains(head.length) &&
         std::ranges::all_of(head.names, [&](std::string_view name) {
           const auto words = words_of(name);
           return !words.empty() && std::ranges::all_of(words, [&](std::string_view word) {
             return free_.contains(word_feature(word));
           });
         });
}

bool JsonRecords::holds_row(const Row& row) const {
  return holds_words(row.words) || std::ranges::all_of(row.pairs, [&](std::uint64_t pair) {
           return listed_.contains(pair) || !holders_of(pair).empty();
         });
}

bool JsonRecords::says(std::string_view line) const {
  line = without_ends(line, " \t\r,");
  if (line.empty()) return true;
  const bool may_be_json = line.front() == '[' || line.front() == '{';
  if (!may_be_json || !json::accept(line)) return says_words(line);
  JsonRecords said;
  RecordReader reader(said, true);
  if (!reader.read(line)) return says_words(line);
  std::vector<Features> pairs(said.records_);
  for (const auto& [feature, record] : said.holders_) pairs[record].push_back(feature);
  return std::ranges::all_of(pairs, [&](const auto& each) { return one_record_holds(each); }) &&
         std::ranges::all_of(said.rows_, [&](const Row& row) { return holds_row(row); });
}

}  // namespace tare::analysis
