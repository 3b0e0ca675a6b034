#include "taffeta/contact/ccd.h"

#include <cmath>

#include "taffeta/contact/algebraic_time.h"
#include "taffeta/contact/ccd_exact.h"
#include "taffeta/contact/ccd_filter.h"

namespace taffeta::contact {

bool touches(const CcdQuery& query) {
    const FilterAnswer answer = filter_touches(query);
    return answer == FilterAnswer::unsure ? touches_exactly(query)
                                          : answer == FilterAnswer::touching;
}

std::optional<double> first_contact(const CcdQuery& query) {
    const FilteredTime filtered = filter_first_contact(query);
    if (filtered.answer == FilterAnswer::apart) return std::nullopt;
    std::optional<std::int64_t> grid = filtered.grid_floor;
    if (filtered.answer == FilterAnswer::unsure) grid = first_contact_exactly(query);
    if (!grid) return std::nullopt;
    return std::ldexp(double(*grid), -int(AlgebraicTime::grid_bits));
}

}  // namespace taffeta::contact
