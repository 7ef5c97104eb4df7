// Reads the rows of a run folder's files, which are lines of JSON, as they stand or in zstd frames.
// What cannot be read is left out and told in `warnings` with its file, its place and the number of
// rows; what is whole is used. Belongs to one thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/fields.h"

namespace tare::analysis {

// Warnings of one kind, of which there may be millions: the first are kept, the others counted.
class FewWarnings {
 public:
  explicit FewWarnings(std::vector<std::string>& warnings) : warnings_(warnings) {}
  void add(std::string warning);
  // Once, behind the last one: "NAME: 120 OF in all: the first 10 are named".
  void end(std::string_view name, std::string_view of);

 private:
  static constexpr std::size_t most_named = 10;
  std::vector<std::string>& warnings_;
  std::size_t count_ = 0;
};

// A line that stands a second time in a file: whether that is a fault, or of no consequence.
enum class Repeated { left_out, taken };

class RowReader {
 public:
  RowReader(std::filesystem::path folder, std::vector<std::string>& warnings)
      : folder_(std::move(folder)), warnings_(warnings) {}

  // Whether there is anything of that name, readable or not.
  bool there(std::string_view name) const;

  // Takes a line, whether it is the last of the file; returns what is wrong with it, or nothing.
  using Take = std::function<std::string(std::string_view line, std::size_t number, bool last)>;
  // Calls `take` for each line of a file that should be there.
  void read(const std::string& name, const Take& take, Repeated repeated = Repeated::taken);

  // The same into `rows`, by way of JSON.
  template <typename Rows, typename Parse>
  void read_rows(const std::string& name, Rows& rows, Parse parse,
                 Repeated repeated = Repeated::taken) {
    read(
        name,
        [&](std::string_view line, std::size_t number, bool last) {
          return add(line, number, last, rows, parse);
        },
        repeated);
  }

  template <typename Rows, typename Parse>
  static std::string add(std::string_view line, std::size_t number, bool last, Rows& rows,
                         Parse parse) {
    std::string fault;
    const auto object = parse_line(line, last, fault);
    if (!fault.empty()) return fault;
    Fields fields(object);
    auto row = parse(fields);
    if (!fields.fault().empty()) return fields.fault();
    row.line = number;
    rows.push_back(std::move(row));
    return "";
  }

  // The line's JSON, or why it has none in `fault`.
  static nlohmann::json parse_line(std::string_view line, bool last, std::string& fault);

  // A file that was cut between two frames, or joined with a copy of itself, shows no damage.
  void expect_rows(const char* name, std::size_t found, std::size_t expected);

  // Whether a warning about that file was given.
  bool blamed(std::string_view name) const;
  void lost(std::string warning) { warnings_.push_back(std::move(warning)); }

 private:
  using Lines = std::function<void(std::string_view text)>;
  void read_text(const std::string& name, const Lines& lines);
  void read_frames(const std::string& name, const Lines& lines);
  std::string without_folder(std::string message) const;

  std::filesystem::path folder_;
  std::vector<std::string>& warnings_;
};

}  // namespace tare::analysis
