// Whether what `tare verify` made of a run (fidelity.jsonl, scores.jsonl, tokens.jsonl) is of that
// run's bodies, and of each of them: a row of another body is in no figure, and a missing one is
// missed by none. Told in warnings, by file and number of rows.
#pragma once

#include <string>
#include <vector>

#include "analysis/field_rows.h"
#include "analysis/raw_reader.h"

namespace tare::analysis {

// Of fidelity.jsonl and tokens.jsonl, into run.warnings.
void check_rows(RawRun& run);
// Of scores.jsonl.
void check_score_rows(const RawRun& run, const FieldRows& rows, std::vector<std::string>& warnings);

}  // namespace tare::analysis
