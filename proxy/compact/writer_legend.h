// The legend in a form's header: what its marks mean, for a model that has never seen the form.
#pragma once

#include <string>
#include <string_view>

#include "proxy/compact/writer_template.h"

namespace tare::compact {

// What a form makes use of and the legend therefore has to explain.
struct UsedFeatures {
  bool definition = false;
  bool law = false;
  bool next_line = false;
  bool width = false;
  bool tab = false;
  bool named_heading = false;
  bool anonymous_heading = false;
  bool labelled_row = false;
  bool ditto = false;
  bool plain_mark = false;
  bool verbatim_mark = false;
  bool run = false;
  bool block = false;
  bool whole_output = false;
  bool lines_of_output = false;
  bool same_output = false;
};

// ": " and a clause for each feature used; empty when there is none.
std::string legend(const UsedFeatures& used, std::string_view mark, const Brackets& brackets);

}  // namespace tare::compact
