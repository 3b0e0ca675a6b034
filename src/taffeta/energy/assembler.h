#pragma once

#include <memory>
#include <span>
#include <vector>

#include "taffeta/energy/energy.h"

namespace taffeta::energy {

/// In which order elements are evaluated and where their blocks go.
///
/// Consecutive elements form clusters; clusters are coloured so that two of one colour share no
/// vertex. Colours run one after the other, the clusters of a colour in parallel, the elements of
/// a cluster in order. So every vertex and every block receives its contributions in an order that
/// depends on the mesh only: the same bits for any number of threads, with no atomics, no buffers
/// and the locality of the mesh order.
struct ScatterPlan {
    std::vector<Index> element_begin;  ///< #clusters + 1: elements [b, e) of a cluster
    std::vector<Index> color_begin;    ///< #colours + 1: clusters [b, e) of a colour in `cluster`
    std::vector<Index> cluster;        ///< cluster numbers sorted by colour
    std::vector<Index> slot;           ///< sparse::make_slots; empty when forces alone are wanted
};

ScatterPlan make_scatter_plan(Index vertices, const sparse::StencilSet& stencils,
                              const sparse::BlockPattern* pattern);

/// Sums all energies of a world into force, K and D over one fixed pattern.
class Assembler {
  public:
    Assembler(Index vertices, std::span<const std::unique_ptr<Energy>> energies);

    const sparse::Pattern& pattern() const { return pattern_; }
    bool has_damping() const { return has_damping_; }

    /// Zeroes the targets, then adds every energy in table order.
    void evaluate(const EvaluationPoint& at, const Targets& targets) const;

    /// Adds one energy of the table, without zeroing anything.
    void add(std::size_t energy, const EvaluationPoint& at, const Targets& targets) const {
        energies_[energy]->add(at, targets, plans_[energy]);
    }

    double value(const VecX& x) const;

  private:
    std::span<const std::unique_ptr<Energy>> energies_;
    sparse::Pattern pattern_;
    std::vector<ScatterPlan> plans_;
    bool has_damping_ = false;
};

}  // namespace taffeta::energy
