// Large texts of short lines: told part by part, so that what the writer keeps of each line does
// not come to many times the text. Each part has templates of its own, and the form one header.
#pragma once

#include <cstddef>
#include <optional>

#include "proxy/compact/writer.h"
#include "proxy/compact/writer_choice.h"
#include "proxy/compact/writer_records.h"

namespace tare::compact {

// The most lines that are told together, in a text of so many bytes.
std::size_t lines_in_part(std::size_t text_bytes);

// The form of the `count` records that `source` gives, told part by part; nothing when no part of
// it can be short. `all` is what the header says of them, without their lines; `how` is that of the
// whole.
std::optional<Form> write_parts(const LineCutter& source, std::size_t count, std::size_t text_bytes,
                                const Records& all, const ChoiceOptions& how);

}  // namespace tare::compact
