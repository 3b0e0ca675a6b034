#pragma once

#include <atomic>
#include <cstdlib>

/// Counts what `new`, the containers and Eigen allocate in this program, by being its malloc: include it
/// in one file of a test program. Sanitizers bring their own malloc; `TAFFETA_COUNTS_ALLOCATIONS` is then not
/// defined.
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TAFFETA_COUNTS_ALLOCATIONS

namespace taffeta::test {
inline std::atomic<long> allocations = 0;
}  // namespace taffeta::test

extern "C" void* __libc_malloc(std::size_t bytes);
extern "C" void* __libc_memalign(std::size_t alignment, std::size_t bytes);

extern "C" void* malloc(std::size_t bytes) {
    ++taffeta::test::allocations;
    return __libc_malloc(bytes);
}

/// `new` with an alignment.
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
    ++taffeta::test::allocations;
    return __libc_memalign(alignment, bytes);
}

#endif
