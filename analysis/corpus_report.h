// A corpus score as a markdown table or as JSON. Pure: the same score, the same bytes.
#pragma once

#include <cstddef>
#include <string>

#include "analysis/corpus_score.h"

namespace tare::analysis {

// By class and in all, then the findings, then the `worst` files of which most is kept.
std::string corpus_markdown(const CorpusScore& score, std::size_t worst);

// The same with each file; format: docs/corpora.md.
std::string corpus_json(const CorpusScore& score);

}  // namespace tare::analysis
