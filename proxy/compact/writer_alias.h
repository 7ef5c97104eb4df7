// Short names for long texts that stand in a form again and again: the beginnings of paths and of
// qualified names.
//
// The last step of level full, on the finished form: the reader puts the texts back before it reads
// anything else.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace tare::compact {

// The form with such texts named below its header; nothing when none would be worth it. With
// `alerts_literal`, lines that look like failures keep theirs. Linear.
std::optional<std::string> with_aliases(std::string_view form, bool alerts_literal,
                                        const std::stop_token& stop = {});

}  // namespace tare::compact
