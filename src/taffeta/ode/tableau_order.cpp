#include <cmath>
#include <memory>

#include "taffeta/ode/tableau.h"

namespace taffeta::ode {

namespace {

/// A rooted tree by the subtrees at its root, in the order in which they were made.
struct RootedTree {
    std::vector<const RootedTree*> children;
    int size = 1;
    double gamma = 1;
};

/// All rooted trees of up to `most` nodes.
class RootedForest {
  public:
    explicit RootedForest(int most) {
        for (int size = 1; size <= most; ++size) {
            const std::size_t smaller = trees_.size();
            std::vector<const RootedTree*> children;
            grow(size - 1, smaller, children);
        }
    }

    const std::vector<std::unique_ptr<RootedTree>>& trees() const { return trees_; }

  private:
    /// Adds every tree whose children are `children` and some of the first `allowed` trees with
    /// `left` nodes together. Never a later tree than the last child: no tree is made twice.
    void grow(int left, std::size_t allowed, std::vector<const RootedTree*>& children) {
        if (left == 0) {
            auto tree = std::make_unique<RootedTree>();
            tree->children = children;
            for (const RootedTree* child : children) {
                tree->size += child->size;
                tree->gamma *= child->gamma;
            }
            tree->gamma *= tree->size;
            trees_.push_back(std::move(tree));
            return;
        }
        for (std::size_t k = 0; k < allowed; ++k) {
            const RootedTree* child = trees_[k].get();
            if (child->size > left) continue;
            children.push_back(child);
            grow(left - child->size, k + 1, children);
            children.pop_back();
        }
    }

    std::vector<std::unique_ptr<RootedTree>> trees_;  ///< by size
};

/// Phi_i of a tree for all stages, and the same with the sizes of all numbers.
struct ElementaryWeights {
    std::vector<double> value, size;
};

ElementaryWeights elementary_weights(const Tableau& tableau, const RootedTree& tree) {
    const std::size_t stages = tableau.stages();
    ElementaryWeights product{std::vector<double>(stages, 1.0), std::vector<double>(stages, 1.0)};
    for (const RootedTree* child : tree.children) {
        const ElementaryWeights below = elementary_weights(tableau, *child);
        for (std::size_t i = 0; i < stages; ++i) {
            double value = 0, size = 0;
            for (std::size_t j = 0; j < stages; ++j) {
                value += tableau.at(i, j) * below.value[j];
                size += std::abs(tableau.at(i, j)) * below.size[j];
            }
            product.value[i] *= value;
            product.size[i] *= size;
        }
    }
    return product;
}

}  // namespace

bool Tableau::ends_at_last_stage() const {
    const std::size_t last = stages() - 1;
    if (c[last] != 1) return false;
    for (std::size_t j = 0; j < stages(); ++j)
        if (at(last, j) != b[j]) return false;
    return true;
}

int order_of(const Tableau& tableau, const std::vector<double>& weights, int most) {
    const RootedForest forest(most);
    for (const auto& tree : forest.trees()) {
        const ElementaryWeights phi = elementary_weights(tableau, *tree);
        double sum = 0, size = 1 / tree->gamma;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            sum += weights[i] * phi.value[i];
            size += std::abs(weights[i]) * phi.size[i];
        }
        if (!(std::abs(sum - 1 / tree->gamma) <= 1e-12 * size)) return tree->size - 1;
    }
    return most;
}

}  // namespace taffeta::ode
