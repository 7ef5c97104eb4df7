// Request bodies of the load cases, made of the published workload.
#pragma once

#include <cstddef>
#include <string>

namespace tare::load {

// 22 KB of logs, another for each index.
std::string small_body(int index);

// One tool output after the other up to about `bytes`; equal texts for equal arguments, and no
// output of one index is one of another.
std::string large_body(std::size_t bytes, int index);

// One output of about `bytes` that takes long to compact: regular lines full of numbers.
std::string huge_output(std::size_t bytes);

}  // namespace tare::load
