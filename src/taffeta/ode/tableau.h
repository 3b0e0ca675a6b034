#pragma once

#include <string>
#include <vector>

/// Runge-Kutta tableaus, and what can be known of a method from its tableau alone:
///
///     c | A           x_i = x + h sum_j a_ij v_j       stages at t + c_i h
///    ---+---          x+  = x + h sum_i b_i v_i
///       | b           the same with b_hat: a second method, for the error of the first
///       | b_hat
///
/// The order is found by Butcher's theory: a method has order p where for every rooted tree T of up
/// to p nodes
///
///     sum_i b_i Phi_i(T) = 1/gamma(T),      Phi_i([T1 .. Tm]) = prod_k sum_j a_ij Phi_j(Tk)
///
/// with gamma the product of the sizes of all subtrees; 1, 1, 2, 4, 9, 20, 48, 115 trees of 1 to 8
/// nodes. The conditions of five nodes alone are nine equations, so nobody should check them by eye.
/// [Butcher63], [HNW93] section II.2
namespace taffeta::ode {

struct Tableau {
    std::vector<double> c;
    std::vector<std::vector<double>> a;  ///< rows may end before their zeros
    std::vector<double> b;
    std::vector<double> b_hat;  ///< of the embedded method; empty: none

    std::size_t stages() const { return b.size(); }
    double at(std::size_t i, std::size_t j) const { return j < a[i].size() ? a[i][j] : 0; }
    /// Whether the last stage is the end of the step, so that its force is the next one's first.
    bool ends_at_last_stage() const;
};

/// The order of the method with these weights (`tableau.b` or `tableau.b_hat`), up to `most`; 0 when
/// sum b_i is not one. A condition counts as met when it holds to 1e-12 times the sum of its terms'
/// sizes, which tableaus written with 15 digits do.
int order_of(const Tableau& tableau, const std::vector<double>& weights, int most = 6);

/// The embedded pairs of orders 3 and 2 [BogackiShampine89] and of orders 5 and 4 [DormandPrince80].
Tableau bogacki_shampine32();
Tableau dormand_prince54();

/// Reads an explicit tableau from a text file: a word at the start of a line, then its numbers,
/// which may be fractions; `#` begins a comment.
///
///     stages 2              # first
///     c      0  2/3
///     a      0  0           # one line per stage, `stages` numbers each
///     a      2/3  0
///     b      1/4  3/4
///     b_hat  1  0           # optional: an embedded method of lower order
///
/// Throws bad input at `file:line` with the value: an unknown word, a wrong count, no number, a
/// weight on or above the diagonal, c_i != sum_j a_ij, weights that do not sum to one.
Tableau read_explicit_tableau(const std::string& path);

}  // namespace taffeta::ode
