#pragma once

#include <cstddef>
#include <new>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace taffeta::sparse {

/// Memory for large arrays that a parallel loop fills: `resize` does not write to it, so that each
/// page is first touched by the thread that uses it, and arrays of several megabytes ask for huge
/// pages (a matrix of a million rows would otherwise need a quarter of a million entries of the
/// page table, and the product A x is bound by memory).
template <class T>
struct UntouchedAllocator {
    using value_type = T;

    static constexpr std::size_t huge_page = std::size_t(1) << 21;

    UntouchedAllocator() = default;
    template <class U>
    UntouchedAllocator(const UntouchedAllocator<U>&) {}

    T* allocate(std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        void* memory = ::operator new(bytes, alignment(count));
#ifdef __linux__
        if (bytes >= huge_page) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t count) {
        ::operator delete(memory, alignment(count));
    }

    /// Values without an initialiser stay uninitialised.
    template <class U>
    void construct(U* place) {
        ::new (static_cast<void*>(place)) U;
    }
    template <class U, class... Arguments>
    void construct(U* place, Arguments&&... arguments) {
        ::new (static_cast<void*>(place)) U(static_cast<Arguments&&>(arguments)...);
    }

    friend bool operator==(const UntouchedAllocator&, const UntouchedAllocator&) {
        return true;
    }

  private:
    static std::align_val_t alignment(std::size_t count) {
        return std::align_val_t(count * sizeof(T) >= huge_page ? huge_page : 64);
    }
};

template <class T>
using UntouchedVector = std::vector<T, UntouchedAllocator<T>>;

}  // namespace taffeta::sparse
