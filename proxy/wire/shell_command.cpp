#include "proxy/wire/shell_command.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "proxy/wire/words.h"

namespace tare::wire {
namespace {

using Words = std::vector<std::string>;

constexpr std::array<std::string_view, 12> readers = {"cat",  "bat",         "batcat", "nl",
                                                      "head", "tail",        "less",   "more",
                                                      "sed",  "get-content", "gc",     "type"};
constexpr std::array<std::string_view, 7> shells = {"bash", "sh",         "zsh", "dash",
                                                    "pwsh", "powershell", "cmd"};
constexpr std::array<std::string_view, 4> prefixes = {"sudo", "command", "time", "env"};
// More than a read of a file needs.
constexpr std::size_t max_command_bytes = std::size_t{4} << 10;
constexpr int max_shells_within = 3;

// The program's name without its folder and .exe.
std::string program_of(std::string_view word) {
  std::string name = lower(word.substr(word.find_last_of("/\\") + 1));
  if (name.ends_with(".exe")) name.resize(name.size() - 4);
  return name;
}

bool is_number(std::string_view word) {
  return std::ranges::all_of(word, is_digit);
}

// FOO=bar before a command.
bool is_assignment(std::string_view word) {
  const std::size_t end = word.find('=');
  return end != std::string_view::npos && end > 0 &&
         std::ranges::all_of(word.substr(0, end),
                             [](char c) { return c == '_' || is_letter(c) || is_digit(c); });
}

// The words from the program on.
std::span<const std::string> without_prefixes(std::span<const std::string> words) {
  while (!words.empty() && (is_assignment(words[0]) || is_one_of(program_of(words[0]), prefixes))) {
    words = words.subspan(1);
  }
  return words;
}

// Whether the program passes lines on as they are, and with `needs_file` from a file of its own.
bool passes_lines(std::span<const std::string> words, bool needs_file) {
  const std::string program = program_of(words[0]);
  if (!is_one_of(program, readers)) return false;
  bool quiet = false;  // sed -n
  std::size_t operands = 0;
  for (const std::string& word : words.subspan(1)) {
    if (word.starts_with('-') && word.size() > 1) {
      quiet |= word == "--quiet" || word == "--silent" ||
               (!word.starts_with("--") && word.find('n') != std::string::npos);
    } else if (!is_number(word)) {
      ++operands;
    }
  }
  if (program != "sed") return operands > 0 || !needs_file;
  return quiet && operands >= (needs_file ? 2 : 1);
}

// Commands joined by pipes.
struct Pipeline {
  std::vector<Words> commands{1};
  bool shows_output = true;  // not sent to a file, nor from a text in the command line itself
};

class Splitter {
 public:
  explicit Splitter(std::string_view line) : line_(line) {}

  std::vector<Pipeline> run() {
    while (at_ < line_.size()) take(line_[at_]);
    end_word();
    return std::move(pipelines_);
  }

 private:
  void take(char c) {
    switch (c) {
      case '\'':
      case '"':
        return take_quoted(c);
      case '\\':
        if (at_ + 1 < line_.size() && line_[at_ + 1] != '\n') add(line_[at_ + 1]);
        at_ += 2;
        return;
      case ' ':
      case '\t':
        end_word();
        break;
      case '>':
        return take_redirection();
      case '<':
        end_word();
        if (at_ + 1 < line_.size() && line_[at_ + 1] == '<') pipelines_.back().shows_output = false;
        break;
      case '|':
        end_word();
        if (at_ + 1 < line_.size() && line_[at_ + 1] == '|') return end_pipeline(2);
        pipelines_.back().commands.emplace_back();
        break;
      case ';':
      case '&':
      case '\n':
      case '(':
      case ')':
        end_word();
        return end_pipeline(1);
      default:
        add(c);
    }
    ++at_;
  }

  void take_quoted(char quote) {
    started_ = true;
    for (++at_; at_ < line_.size() && line_[at_] != quote; ++at_) {
      if (quote == '"' && line_[at_] == '\\' && at_ + 1 < line_.size()) ++at_;
      add(line_[at_]);
    }
    ++at_;
  }

  // 2>FILE and 2>&1 leave what is shown as it is, >FILE takes it away.
  void take_redirection() {
    if (word_ == "2") {
      word_.clear();
      started_ = false;
    } else {
      end_word();
      pipelines_.back().shows_output = false;
    }
    while (at_ < line_.size() && (line_[at_] == '>' || line_[at_] == '&')) ++at_;
    while (at_ < line_.size() && line_[at_] == ' ') ++at_;
    while (at_ < line_.size() &&
           std::string_view(" \t\n;&|()").find(line_[at_]) == std::string_view::npos) {
      ++at_;
    }
  }

  void add(char c) {
    started_ = true;
    word_ += c;
  }
  void end_word() {
    if (started_) pipelines_.back().commands.back().push_back(std::move(word_));
    word_.clear();
    started_ = false;
  }
  void end_pipeline(std::size_t operator_bytes) {
    at_ += operator_bytes;
    if (pipelines_.back().commands.size() > 1 || !pipelines_.back().commands[0].empty()) {
      pipelines_.emplace_back();
    }
  }

  std::string_view line_;
  std::size_t at_ = 0;
  std::string word_;
  bool started_ = false;  // a word, perhaps an empty one in quotes
  std::vector<Pipeline> pipelines_{1};
};

bool line_shows_file(std::string_view line, int shells_left);

// The command line that a shell is given.
std::optional<std::string_view> inner_line(std::span<const std::string> words) {
  if (!is_one_of(program_of(words[0]), shells)) return std::nullopt;
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    const std::string option = lower(words[i]);
    const bool takes_line =
        option == "-command" || option == "/c" ||
        (option.starts_with('-') && option.size() <= 4 && option.ends_with('c'));
    if (takes_line) return words[i + 1];
  }
  return std::nullopt;
}

bool words_show_file(std::span<const std::string> words, int shells_left) {
  words = without_prefixes(words);
  if (words.empty()) return false;
  if (const auto line = inner_line(words)) return line_shows_file(*line, shells_left - 1);
  return passes_lines(words, true);
}

bool pipeline_shows_file(const Pipeline& pipeline, int shells_left) {
  if (!pipeline.shows_output) return false;
  for (std::size_t i = 1; i < pipeline.commands.size(); ++i) {
    const auto words = without_prefixes(pipeline.commands[i]);
    if (words.empty() || !passes_lines(words, false)) return false;
  }
  return words_show_file(pipeline.commands[0], shells_left);
}

bool line_shows_file(std::string_view line, int shells_left) {
  if (line.size() > max_command_bytes || shells_left == 0) return false;
  return std::ranges::any_of(Splitter(line).run(), [&](const Pipeline& pipeline) {
    return pipeline_shows_file(pipeline, shells_left);
  });
}

}  // namespace

bool shows_file(std::string_view command_line) {
  return line_shows_file(command_line, max_shells_within);
}

bool shows_file(std::span<const std::string> words) {
  return words_show_file(words, max_shells_within);
}

}  // namespace tare::wire
