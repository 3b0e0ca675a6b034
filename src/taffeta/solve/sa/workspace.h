#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "taffeta/solve/sa/block_rows.h"

namespace taffeta::solve::sa {

/// Scratch of one task of a set-up. It keeps its memory from set-up to set-up: pages that are new cost
/// more than what is computed in them.
struct Workspace {
    FloatArray sums;
    std::vector<double> dense;
    std::vector<Index> columns;
    /// Of columns in a row that is put together; -1 for all between two rows.
    std::vector<Index> place;

    /// Takes the columns of a run of rows, to be looked up eight at a time, and makes so many sums for each
    /// of them, all zero.
    void begin_rows(std::span<const Index> of_rows, std::size_t sums_each) {
        constexpr std::size_t readable = 7;  // behind the last one
        columns.assign(of_rows.begin(), of_rows.end());
        columns.resize(of_rows.size() + readable);
        sums.resize(of_rows.size() * sums_each);
        sums.set_zero();
    }
};

/// As many workspaces as tasks have run at the same time. What is in them depends on the order of
/// threads; results must not.
class Workspaces {
  public:
    class Lease {
      public:
        explicit Lease(Workspaces& from) : from_(from), workspace_(from.take()) {}
        ~Lease() { from_.give(std::move(workspace_)); }
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;

        Workspace& operator*() { return *workspace_; }
        Workspace* operator->() { return workspace_.get(); }

      private:
        Workspaces& from_;
        std::unique_ptr<Workspace> workspace_;
    };

  private:
    std::unique_ptr<Workspace> take() {
        const std::lock_guard lock(mutex_);
        if (free_.empty()) return std::make_unique<Workspace>();
        auto last = std::move(free_.back());
        free_.pop_back();
        return last;
    }
    void give(std::unique_ptr<Workspace> workspace) {
        const std::lock_guard lock(mutex_);
        free_.push_back(std::move(workspace));
    }

    std::mutex mutex_;
    std::vector<std::unique_ptr<Workspace>> free_;
};

}  // namespace taffeta::solve::sa
