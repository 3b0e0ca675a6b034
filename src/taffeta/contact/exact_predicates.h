#pragma once

#include "taffeta/base/types.h"

/// Exact predicates on points that stand still [Shewchuk97]: a sign from doubles where a bound on the
/// rounding allows, else from expansions, sums of doubles that hold every bit.
///
/// Exact for finite coordinates of which products of three differences neither overflow nor underflow:
/// magnitudes between 1e-60 and 1e60, and zero, are safe. They share no code with contact/ccd.h, whose
/// exact part computes with integers, so that each can be used to check the other.
namespace taffeta::contact {

/// Sign of the area of (a, b, c) seen along an axis (0 x, 1 y, 2 z): positive when they turn
/// anticlockwise in the plane of the two axes that follow cyclically.
int orientation_2d(const Vec3& a, const Vec3& b, const Vec3& c, int axis);

/// Sign of (b - a) x (c - a) . (d - a): positive when d is on the side to which a, b, c turn
/// anticlockwise, zero when the four are in one plane.
int orientation_3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

/// Whether the closed segments (p, q) and (a, b) have a common point. Both may be points.
bool segments_meet(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b);

/// Whether the closed segment (p, q) and the closed triangle (a, b, c) have a common point, also in one
/// plane. The triangle may be a segment or a point, and the segment a point.
bool segment_meets_triangle(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b,
                            const Vec3& c);

/// Of a segment (apex, q) and a triangle (apex, b, c): whether they share more than the apex. Only
/// where q lies in the triangle's plane, as when cloth is folded flat onto itself.
bool segment_enters_corner(const Vec3& apex, const Vec3& q, const Vec3& b, const Vec3& c);

}  // namespace taffeta::contact
