// One line of a raw file as a typed row. Used by the raw reader only.
#pragma once

#include <string_view>

#include "analysis/fields.h"
#include "analysis/raw_reader.h"

namespace tare::analysis {

// The row's fault, if any, is in `fields`.
WorkloadRow workload_row(Fields& fields);
StartRow start_row(Fields& fields);
GroupRow group_row(Fields& fields);
RequestRow request_row(Fields& fields, Names& names);
DecodedRow decoded_row(Fields& fields);
TokensRow tokens_row(Fields& fields);
EventRow event_row(Fields& fields);
RoundRow round_row(Fields& fields);
SampleRow sample_row(Fields& fields);

// The same from a plain line (flat_row.h), many times as fast; false when the line is not plain, or
// its fields are not what they should be: then it is read by the function above, which can say why.
bool plain_request_row(std::string_view line, Names& names, RequestRow& row);

}  // namespace tare::analysis
