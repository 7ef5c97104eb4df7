// How much heap a piece of work takes at its peak. Linking heap.cpp replaces operator new and
// delete of the whole program; nothing is counted but in peak_heap_bytes(), on its thread.
#pragma once

#include <cstddef>
#include <functional>

namespace tare::test {

// The most bytes, as the allocator rounds them, that `work` held at once of what it allocated
// itself.
std::size_t peak_heap_bytes(const std::function<void()>& work);

}  // namespace tare::test
