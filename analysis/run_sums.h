// SHA256SUMS of a run folder: what its files were when the run had ended, in the form that
// `sha256sum -c` reads. Without it a changed digit in a row shows nowhere. Bodies are named by
// their SHA-256 and need none.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/error.h"

namespace tare::analysis {

// Of every file of rows, and run.json. Errors: io.
Result<void> write_run_sums(const std::filesystem::path& run_folder);
// Of the files that `tare verify` makes; what is said of the others stays. Errors: io.
Result<void> renew_derived_sums(const std::filesystem::path& run_folder);
// Before a run goes on. Errors: io.
Result<void> remove_run_sums(const std::filesystem::path& run_folder);

// What `tare verify` makes anew from the other files.
bool is_derived(std::string_view name);

// Names in `warnings` each file that is not what it was, unless a warning names it already.
// A folder without SHA256SUMS is as good as it looks.
void check_run_sums(const std::filesystem::path& run_folder, std::vector<std::string>& warnings);

}  // namespace tare::analysis
