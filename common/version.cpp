#include "common/version.h"

#include "tare_version.h"

namespace tare {

std::string_view version() {
  return TARE_VERSION " (" TARE_BUILD_ID ")";
}

}  // namespace tare
