#include "taffeta/contact/closest_point.h"

namespace taffeta::contact {

ClosestPoint closest_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 ab = b - a, ac = c - a;
    const Vec3 ap = p - a;
    const double ab_ap = ab.dot(ap), ac_ap = ac.dot(ap);
    if (ab_ap <= 0 && ac_ap <= 0) return {a, TriangleFeature::vertex_a};

    const Vec3 bp = p - b;
    const double ab_bp = ab.dot(bp), ac_bp = ac.dot(bp);
    if (ab_bp >= 0 && ac_bp <= ab_bp) return {b, TriangleFeature::vertex_b};

    // Barycentric coordinates of the projection, times twice the area squared.
    const double weight_c = ab_ap * ac_bp - ab_bp * ac_ap;
    if (weight_c <= 0 && ab_ap >= 0 && ab_bp <= 0)
        return {a + ab_ap / (ab_ap - ab_bp) * ab, TriangleFeature::edge_c};

    const Vec3 cp = p - c;
    const double ab_cp = ab.dot(cp), ac_cp = ac.dot(cp);
    if (ac_cp >= 0 && ab_cp <= ac_cp) return {c, TriangleFeature::vertex_c};

    const double weight_b = ab_cp * ac_ap - ab_ap * ac_cp;
    if (weight_b <= 0 && ac_ap >= 0 && ac_cp <= 0)
        return {a + ac_ap / (ac_ap - ac_cp) * ac, TriangleFeature::edge_b};

    const double weight_a = ab_bp * ac_cp - ab_cp * ac_bp;
    const double to_c = ac_bp - ab_bp, to_b = ab_cp - ac_cp;
    if (weight_a <= 0 && to_c >= 0 && to_b >= 0)
        return {b + to_c / (to_c + to_b) * (c - b), TriangleFeature::edge_a};

    const double scale = 1 / (weight_a + weight_b + weight_c);
    return {a + weight_b * scale * ab + weight_c * scale * ac, TriangleFeature::face};
}

}  // namespace taffeta::contact
