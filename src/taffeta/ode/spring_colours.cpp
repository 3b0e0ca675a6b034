#include "taffeta/ode/spring_colours.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace taffeta::ode {

SpringColours colour_springs(std::span<const Spring> springs, Index particles) {
    const auto usable = [](const Spring& s) { return s.stiffness > 0 && s.i != s.j; };
    std::vector<int> degree(std::size_t(particles), 0);
    for (const Spring& s : springs) {
        if (!usable(s)) continue;
        ++degree[std::size_t(s.i)];
        ++degree[std::size_t(s.j)];
    }
    const int most = particles > 0 ? *std::max_element(degree.begin(), degree.end()) : 0;
    const auto words = std::size_t(2 * most / 64 + 1);

    // One bit for each colour that a particle has.
    std::vector<std::uint64_t> taken(words * std::size_t(particles), 0);
    std::vector<Index> colour(springs.size(), -1), size;
    for (std::size_t k = 0; k < springs.size(); ++k) {
        if (!usable(springs[k])) continue;
        std::uint64_t* a = &taken[words * std::size_t(springs[k].i)];
        std::uint64_t* b = &taken[words * std::size_t(springs[k].j)];
        std::size_t word = 0;
        while (~(a[word] | b[word]) == 0)
            ++word;
        const int bit = std::countr_one(a[word] | b[word]);
        a[word] |= std::uint64_t(1) << bit;
        b[word] |= std::uint64_t(1) << bit;
        const Index c = Index(64 * word) + bit;
        colour[k] = c;
        if (c >= Index(size.size())) size.resize(std::size_t(c) + 1, 0);
        ++size[std::size_t(c)];
    }

    SpringColours made;
    for (const Index n : size)
        made.begin.push_back(made.begin.back() + n);
    made.spring.resize(std::size_t(made.begin.back()));
    std::vector<Index> next(made.begin.begin(), made.begin.end() - 1);
    for (std::size_t k = 0; k < springs.size(); ++k)
        if (colour[k] >= 0) made.spring[std::size_t(next[std::size_t(colour[k])]++)] = springs[k];
    return made;
}

}  // namespace taffeta::ode
