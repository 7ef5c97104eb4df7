// An estimate of how many o200k_base tokens a text has, without its vocabulary: one pass over the
// bytes, a length law for each class of piece. Within about 5 % on tool outputs. It is always
// labelled "estimate" where it is shown. Pure; may be called from several threads at once.
#pragma once

#include <string_view>

namespace tare::analysis {

double estimate_tokens(std::string_view text);

}  // namespace tare::analysis
