#include "taffeta/contact/leading_apart.h"

#include <algorithm>

namespace taffeta::contact {
namespace {

constexpr int most_strides = 300;
constexpr int patience = 60;  ///< strides without fewer pairs

}  // namespace

Index lead_apart(Untangling& untangling, Response& response, const Movable& movable,
                 std::span<const double> shortest_edge, ResponseOptions options, VecX& x) {
    options.tolerate_pinched = false;  // nothing moves but what is led apart
    options.only_moved = true;
    const Index begin = untangling.find(x);
    Index pairs = begin, fewest = begin;
    VecX there = x, next;
    VecX stride(3 * Eigen::Index(response.finder().surface().cloth_vertices));
    int in_vain = 0;
    for (int k = 0; pairs > 0 && k < most_strides && in_vain < patience; ++k) {
        response.finder().leave_alone_between(untangling.involved());
        stride.setZero();
        untangling.displace(there, shortest_edge, movable.filter, movable.pinned, stride);
        next = there;
        next.head(stride.size()) += stride;
        if (!response.resolve(there, next, movable, options).ok()) break;
        std::swap(there, next);
        pairs = untangling.find_again(there);
        in_vain = pairs < fewest ? 0 : in_vain + 1;
        fewest = std::min(fewest, pairs);
    }
    if (pairs > 0) return begin;
    x = there;
    return 0;
}

}  // namespace taffeta::contact
