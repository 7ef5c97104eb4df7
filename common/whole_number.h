// Numbers in a command line: exactly what was typed, or a fault. The option parser alone reads -1
// as the largest number and takes what does not fit for the nearest that does.
#pragma once

#include <string>

namespace tare {

// "" when `text` is a whole number from 0 that 64 bits hold, else what was expected.
std::string fault_of_whole_number(const std::string& text);

}  // namespace tare
