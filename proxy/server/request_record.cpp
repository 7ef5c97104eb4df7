#include "proxy/server/request_record.h"

#include <array>
#include <cstddef>

namespace tare::server {

std::string_view name_of(Ending ending) {
  constexpr std::array<std::string_view, ending_count> names = {"answered",
                                                                "refused",
                                                                "denied",
                                                                "request_timeout",
                                                                "upstream_unreachable",
                                                                "upstream_timeout",
                                                                "upstream_invalid",
                                                                "upstream_cut",
                                                                "client_gone",
                                                                "stopped"};
  return names[static_cast<std::size_t>(ending)];
}

std::string_view name_of(Rewriting rewriting) {
  constexpr std::array<std::string_view, 5> names = {"off", "done", "shadow", "bypassed",
                                                     "too_long"};
  return names[static_cast<std::size_t>(rewriting)];
}

}  // namespace tare::server
