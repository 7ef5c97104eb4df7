// A new folder for one test, removed with what is in it.
#pragma once

#include <filesystem>
#include <system_error>

#include "common/files.h"

namespace tare::test {

class TemporaryFolder {
 public:
  TemporaryFolder() : path_(make_temporary_directory("tare-test").value()) {}
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace tare::test
