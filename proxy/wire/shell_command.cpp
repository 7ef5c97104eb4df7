#include "proxy/wire/shell_command.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "proxy/wire/words.h"

namespace tare::wire {
namespace {

using Words = std::vector<std::string>;

constexpr std::array<std::string_view, 15> readers = {
    "cat", "bat", "batcat",      "nl", "head", "tail", "less", "more",
    "sed", "awk", "get-content", "gc", "type", "gawk", "tac"};
// Take a line of their language.
constexpr std::array<std::string_view, 5> line_runners = {"python", "python3", "node", "perl",
                                                          "ruby"};
constexpr std::array<std::string_view, 7> shells = {"bash", "sh",         "zsh", "dash",
                                                    "pwsh", "powershell", "cmd"};
// Before a command, with no word of their own.
constexpr std::array<std::string_view, 10> prefixes = {"command", "exec",  "nohup", "do", "then",
                                                       "else",    "while", "if",    "!",  "{"};
// Run the command that stands among their own words.
constexpr std::array<std::string_view, 19> wrappers = {
    "sudo", "doas", "env",   "time",    "timeout", "nice",   "ionice",  "stdbuf", "setsid", "xargs",
    "find", "fd",   "watch", "busybox", "docker",  "podman", "kubectl", "ssh",    "wsl"};
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

// git show REVISION:FILE, git cat-file -p REVISION:FILE.
bool shows_git_file(std::span<const std::string> words) {
  const auto verb = std::ranges::find_if(
      words, [](const std::string& word) { return word == "show" || word == "cat-file"; });
  return std::any_of(verb, words.end(), [](const std::string& word) {
    return !word.starts_with('-') && word.find(':') != std::string::npos;
  });
}

// A line of a program that reads a file: python -c "print(open('a.py').read())".
bool runs_reading_line(std::span<const std::string> words) {
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    const bool takes_line = words[i] == "-c" || words[i] == "-e" || words[i] == "-p";
    if (!takes_line) continue;
    const std::string line = lower(words[i + 1]);
    return line.find("open(") != std::string::npos || line.find("read") != std::string::npos;
  }
  return false;
}

// Whether the program passes lines on as they are, and with `needs_file` from a file of its own.
bool passes_lines(std::span<const std::string> words, bool needs_file) {
  const std::string program = program_of(words[0]);
  if (program == "git") return needs_file && shows_git_file(words);
  if (is_one_of(program, line_runners)) return needs_file && runs_reading_line(words);
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
  if (program == "awk" || program == "gawk") return operands >= (needs_file ? 2 : 1);
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

// `timeout 5 cat a.py`, `find . -name '*.py' -exec head {} +`, `ssh host 'cat a.py'`. What the
// wrapper takes itself is not known word by word, so each of its words may begin the command.
bool wrapped_shows_file(std::span<const std::string> words, int shells_left) {
  if (!is_one_of(program_of(words[0]), wrappers)) return false;
  const bool gives_file = program_of(words[0]) == "xargs";
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto inner = words.subspan(i);
    if (words[i].find(' ') != std::string::npos && line_shows_file(words[i], shells_left - 1)) {
      return true;
    }
    if (const auto line = inner_line(inner)) return line_shows_file(*line, shells_left - 1);
    if (passes_lines(inner, !gives_file)) return true;
  }
  return false;
}

bool words_show_file(std::span<const std::string> words, int shells_left) {
  words = without_prefixes(words);
  if (words.empty()) return false;
  if (const auto line = inner_line(words)) return line_shows_file(*line, shells_left - 1);
  return passes_lines(words, true) || wrapped_shows_file(words, shells_left);
}

bool pipeline_shows_file(const Pipeline& pipeline, int shells_left) {
  if (!pipeline.shows_output) return false;
  // From the last command back: what passes lines on, up to the one that reads the file.
  for (std::size_t i = pipeline.commands.size() - 1; i > 0; --i) {
    const auto words = without_prefixes(pipeline.commands[i]);
    if (words.empty()) return false;
    if (wrapped_shows_file(words, shells_left)) return true;  // ls | xargs cat
    if (!passes_lines(words, false)) return false;
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
