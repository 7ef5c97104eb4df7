#include "tests/support/heap.h"

#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

struct Count {
  bool on = false;
  std::int64_t held = 0;  // below zero while what was there before is freed
  std::int64_t peak = 0;
};
thread_local Count count;

void* allocate(std::size_t bytes) {
  void* const place = std::malloc(std::max<std::size_t>(bytes, 1));
  if (place == nullptr) throw std::bad_alloc();
  if (count.on) {
    count.held += static_cast<std::int64_t>(malloc_usable_size(place));
    count.peak = std::max(count.peak, count.held);
  }
  return place;
}

void release(void* place) {
  if (count.on) count.held -= static_cast<std::int64_t>(malloc_usable_size(place));
  std::free(place);
}

}  // namespace

void* operator new(std::size_t bytes) {
  return allocate(bytes);
}
void* operator new[](std::size_t bytes) {
  return allocate(bytes);
}
void operator delete(void* place) noexcept {
  release(place);
}
void operator delete[](void* place) noexcept {
  release(place);
}
void operator delete(void* place, std::size_t) noexcept {
  release(place);
}
void operator delete[](void* place, std::size_t) noexcept {
  release(place);
}

namespace tare::test {

std::size_t peak_heap_bytes(const std::function<void()>& work) {
  count = {.on = true};
  work();
  count.on = false;
  return static_cast<std::size_t>(count.peak);
}

}  // namespace tare::test
