// rewrite() with the compaction passed in, so that splicing is tested apart from it.
#pragma once

#include <functional>

#include "proxy/wire/wire.h"

namespace tare::wire {

using Compactor = std::function<compact::Compacted(std::string_view text)>;

Rewritten rewrite_with(std::string_view target, std::string_view body, const Compactor& compactor);

}  // namespace tare::wire
