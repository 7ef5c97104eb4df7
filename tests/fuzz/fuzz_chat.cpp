// Bodies of the Chat Completions API.
#include "tests/fuzz/wire_body.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return tare::fuzz::try_body("/v1/chat/completions", {reinterpret_cast<const char*>(data), size});
}
