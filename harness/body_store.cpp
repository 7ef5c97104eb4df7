#include "harness/body_store.h"

#include <algorithm>

#include "common/hash.h"

namespace tare::harness {
namespace {

PreparedBody prepared(Body body) {
  PreparedBody result;
  result.sha256 = sha256_hex(body.text);
  result.output_sha256 = sha256_hex(body.output);
  result.output_bytes = static_cast<std::int64_t>(body.output.size());
  body.output = {};
  result.body = std::move(body);
  return result;
}

}  // namespace

Result<BodyStore> BodyStore::make(const Plan& plan, int distinct) {
  BodyStore store;
  for (const Group& group : plan.groups) {
    auto bodies =
        make_bodies(group.workload, group.mode == Mode::repeated ? 1 : distinct, plan.home);
    if (!bodies) return fail(bodies.error());
    int& count = store.count_[group.task];
    count = std::max(count, static_cast<int>(bodies->size()));
    for (Body& body : *bodies) {
      const std::pair key(group.task, body.index);
      if (!store.bodies_.contains(key)) store.bodies_.emplace(key, prepared(std::move(body)));
    }
  }
  return store;
}

const PreparedBody& BodyStore::of(const Group& group, int number) const {
  const int index = group.mode == Mode::repeated ? 0
                    : group.mode == Mode::each   ? number % count_.at(group.task)
                                                 : number;
  return bodies_.at({group.task, index});
}

int BodyStore::requests(const Group& group, int requests) const {
  return group.mode == Mode::each ? std::max(requests, count_.at(group.task)) : requests;
}

}  // namespace tare::harness
