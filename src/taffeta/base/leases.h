#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace taffeta {

/// Scratch for the tasks of a loop, as much as tasks run at the same time. It keeps its memory from task to task:
/// pages that are new cost more than what is computed in them. What is in it depends on the order of
/// threads; results must not.
template <class Scratch>
class Leases {
  public:
    class Lease {
      public:
        explicit Lease(Leases& from) : from_(from), scratch_(from.take()) {}
        ~Lease() { from_.give(std::move(scratch_)); }
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;

        Scratch& operator*() { return *scratch_; }
        Scratch* operator->() { return scratch_.get(); }

      private:
        Leases& from_;
        std::unique_ptr<Scratch> scratch_;
    };

  private:
    std::unique_ptr<Scratch> take() {
        const std::lock_guard lock(mutex_);
        if (free_.empty()) return std::make_unique<Scratch>();
        auto last = std::move(free_.back());
        free_.pop_back();
        return last;
    }
    void give(std::unique_ptr<Scratch> scratch) {
        const std::lock_guard lock(mutex_);
        free_.push_back(std::move(scratch));
    }

    std::mutex mutex_;
    std::vector<std::unique_ptr<Scratch>> free_;
};

}  // namespace taffeta
