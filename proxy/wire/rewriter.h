// Rewrites requests one after another and remembers what it sent for the outputs it has seen, so
// that a conversation costs little more than its newest output.
//
// For one thread: each event loop has its own. The compaction can be passed in, so that the rest is
// tested apart from it.
#pragma once

#include <functional>
#include <stop_token>

#include "proxy/wire/output_cache.h"
#include "proxy/wire/wire.h"

namespace tare::wire {

// The form of a text that is to be treated so, after the outputs in `earlier`; not called for what
// is to be left alone and does not look like a form. Once `stop` is requested it returns soon, with
// anything.
using Compactor =
    std::function<compact::Compacted(std::string_view text, Treatment treatment,
                                     const compact::Earlier& earlier, const std::stop_token& stop)>;

Compactor compactor_for(const Policy& policy);

class Rewriter {
 public:
  static constexpr std::size_t usual_cache_bytes = std::size_t{4} << 20;

  explicit Rewriter(Policy policy, std::size_t cache_bytes = usual_cache_bytes);
  Rewriter(Policy policy, Compactor compactor, std::size_t cache_bytes);

  // Once `stop` is requested the result is of no use: it comes soon, also from the midst of a
  // large output.
  Rewritten rewrite(std::string_view target, std::string_view body, std::stop_token stop = {});

  const OutputCache& cache() const { return cache_; }

 private:
  class Walk;

  Policy policy_;
  Compactor compactor_;
  OutputCache cache_;
};

}  // namespace tare::wire
