// A name that only the calling process and what it starts know: a mount namespace of their own, in
// which /etc/hosts has one line more.
#pragma once

#include <string>

#include "common/error.h"

namespace tare::harness {

// From here on `name` is 127.0.0.1 for this process and its children. Errors: missing (only root
// can do this), io.
Result<void> map_to_loopback(const std::string& name);

}  // namespace tare::harness
