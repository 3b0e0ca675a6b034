#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <utility>

#include "taffeta/contact/ccd.h"

/// Random continuous-collision queries whose answer is known by construction, all coordinates
/// integers below 2^52, hence exact.
///
/// A query is made in a frame where the answer is plain, and then moved by an integer matrix of
/// determinant 1 and by offsets that change in time: both keep the answer and hide the frame.
/// Touching ones have a meeting point, a convex combination with weights of 1/16, at a time k/8.
/// Missing ones are apart by 1 to 2^20 units in one direction at all times, out of coordinates of up to
/// 2^44: as near as a millionth of a millionth.
namespace taffeta::test {

struct CcdCase {
    contact::CcdQuery query;
    bool touch;
};

class CcdCases {
  public:
    explicit CcdCases(std::uint64_t seed) : random_(seed) {}

    CcdCase next() {
        CcdCase made;
        made.touch = below(2) == 0;
        made.query.kind =
            below(2) == 0 ? contact::CcdKind::vertex_face : contact::CcdKind::edge_edge;
        bits_ = bit_choices_[below(bit_choices_.size())];
        flat_ = below(8) == 0;
        make_primitives();
        if (made.touch)
            meet(made.query.kind);
        else
            part(made.query.kind);
        disguise(made.query);
        return made;
    }

  private:
    using Point = std::array<std::int64_t, 3>;

    std::uint64_t below(std::uint64_t n) { return random_() % n; }
    std::int64_t coordinate() {
        const std::int64_t size = std::int64_t(1) << bits_;
        return 128 * (std::int64_t(below(std::uint64_t(2 * size + 1))) - size);
    }

    void make_primitives() {
        for (auto* ends : {&from_, &to_})
            for (Point& p : *ends)
                for (std::int64_t& x : p)
                    x = coordinate();
        if (flat_)  // all in one plane, all the time
            for (std::size_t i = 0; i < 4; ++i)
                from_[i][2] = to_[i][2] = 0;
        const std::uint64_t kind = below(8);
        if (kind == 0) {  // a corner twice
            const std::size_t i = 1 + below(3), j = 1 + below(3);
            from_[i] = from_[j];
            to_[i] = to_[j];
        } else if (kind == 1) {  // one stands still
            to_[2] = from_[2];
            to_[3] = from_[3];
        } else if (kind == 2) {  // corners on a line at the start
            for (std::size_t axis = 0; axis < 3; ++axis)
                from_[3][axis] = 2 * from_[2][axis] - from_[1][axis];
        }
    }

    /// Weights of n points, sixteenths; often on an edge or a corner.
    std::array<std::int64_t, 3> weights(std::size_t n) {
        std::array<std::int64_t, 3> w{};
        std::int64_t left = 16;
        for (std::size_t k = 0; k + 1 < n; ++k) {
            w[k] = below(3) == 0 ? 0 : std::int64_t(below(std::uint64_t(left + 1)));
            if (below(6) == 0) w[k] = left;
            left -= w[k];
        }
        w[n - 1] = left;
        std::shuffle(w.begin(), w.begin() + std::ptrdiff_t(n), random_);
        return w;
    }

    /// Shifts the first primitive at the two ends so that it meets the second at the time k/8.
    void meet(contact::CcdKind kind) {
        const std::int64_t k = std::int64_t(below(9));
        const std::size_t first = kind == contact::CcdKind::vertex_face ? 1 : 2;
        const auto a = weights(first), b = weights(4 - first);
        Point apart{};  // 128 times B - A at that time, where the first primitive is to be moved
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto at = [&](std::size_t i) {
                return (8 - k) * from_[i][axis] + k * to_[i][axis];
            };
            for (std::size_t i = 0; i < first; ++i)
                apart[axis] -= a[i] * at(i);
            for (std::size_t j = first; j < 4; ++j)
                apart[axis] += b[j - first] * at(j);
            apart[axis] /= 128;  // exact: coordinates are multiples of 128
            for (std::size_t i = 0; i < first; ++i) {
                from_[i][axis] += apart[axis];
                to_[i][axis] += apart[axis];
            }
        }
    }

    /// Puts the two on different sides of a strip across the x axis, touching it.
    void part(contact::CcdKind kind) {
        const std::size_t first = kind == contact::CcdKind::vertex_face ? 1 : 2;
        const std::int64_t gap = std::int64_t(1) << below(21);
        for (auto* ends : {&from_, &to_}) {
            auto& p = *ends;
            std::int64_t high = p[0][0], low = p[first][0];
            for (std::size_t i = 0; i < 4; ++i)
                i < first ? high = std::max(high, p[i][0]) : low = std::min(low, p[i][0]);
            // below(3): all corners at the strip, for a contact that is nearly everywhere
            const bool level = below(3) == 0;
            for (std::size_t i = 0; i < 4; ++i) {
                if (i < first)
                    p[i][0] = level ? 0 : p[i][0] - high;
                else
                    p[i][0] = gap + (level ? 0 : p[i][0] - low);
            }
        }
    }

    void disguise(contact::CcdQuery& query) {
        for (int k = 0; k < 3; ++k) {  // shears
            const std::size_t to = below(3), from = (to + 1 + below(2)) % 3;
            const std::int64_t factor = std::int64_t(below(5)) - 2;
            for (auto* ends : {&from_, &to_})
                for (Point& p : *ends)
                    p[to] += factor * p[from];
        }
        for (auto* ends : {&from_, &to_}) {
            const Point offset{coordinate(), coordinate(), coordinate()};
            const bool move = below(4) != 0;
            for (std::size_t i = 0; i < 4; ++i)
                for (std::size_t axis = 0; axis < 3; ++axis)
                    (ends == &from_ ? query.start : query.end)[i][int(axis)] =
                        double((*ends)[i][axis] + (move ? offset[axis] : 0));
        }
    }

    static constexpr std::array<int, 6> bit_choices_ = {1, 3, 8, 16, 27, 36};
    std::mt19937_64 random_;
    int bits_ = 0;
    bool flat_ = false;
    std::array<Point, 4> from_{}, to_{};
};

/// The same query in other words: every one has the same answer.
struct CcdDisguise {
    int power;     ///< coordinates times 2^power
    unsigned mix;  ///< bits choose permutations, mirrors, exchange and reversal
};

inline contact::CcdQuery disguised(const contact::CcdQuery& query, const CcdDisguise& by) {
    contact::CcdQuery other = query;
    const bool faces = query.kind == contact::CcdKind::vertex_face;
    unsigned bits = by.mix;
    const auto take = [&](unsigned n) {
        const unsigned value = bits % n;
        bits /= n;
        return value;
    };
    if (take(2)) std::swap(other.start, other.end);
    const unsigned turn = take(3);
    const bool flip = take(2) != 0, exchange = take(2) != 0, swap_second = take(2) != 0;
    for (auto* points : {&other.start, &other.end}) {
        auto& p = *points;
        if (faces) {
            std::rotate(p.begin() + 1, p.begin() + 1 + turn, p.end());
            if (flip) std::swap(p[1], p[2]);
        } else {
            if (exchange) {
                std::swap(p[0], p[2]);
                std::swap(p[1], p[3]);
            }
            if (flip) std::swap(p[0], p[1]);
            if (swap_second) std::swap(p[2], p[3]);
        }
    }
    const unsigned axis = take(3);
    const Vec3 mirror(take(2) ? -1 : 1, take(2) ? -1 : 1, take(2) ? -1 : 1);
    for (auto* points : {&other.start, &other.end})
        for (Vec3& p : *points) {
            const Vec3 turned(p[int(axis)], p[int((axis + 1) % 3)], p[int((axis + 2) % 3)]);
            for (int k = 0; k < 3; ++k)
                p[k] = std::ldexp(mirror[k] * turned[k], by.power);
        }
    return other;
}

}  // namespace taffeta::test
