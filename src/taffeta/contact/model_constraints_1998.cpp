#include <algorithm>
#include <tuple>

#include "taffeta/base/parallel.h"
#include "taffeta/contact/constraints_1998.h"
#include "taffeta/contact/contact_memory.h"
#include "taffeta/contact/vertex_contact.h"

/// Cloth against obstacles by constraints on single vertices.                [BW98, section 6]
///
/// A vertex that meets an obstacle loses its normal direction (all three while it sticks): the
/// filter forbids them and prescribes the end-of-step velocity, the obstacle's plus what closes a
/// gap. Penetration is undone by displacement, not by velocity. After the solve the constraint's
/// impulse tells which contacts pull (they are released) and which stick no longer (they slide in
/// the next step, with friction as an explicit impulse that follows the last normal force and what drove
/// the vertex in the last step).
///
/// Why not an active-set iteration within the step? It would cost a solve a round for what the
/// next step decides for free; the price is that a contact holds for one step too long.
namespace taffeta::contact {
namespace {

constexpr Index grain = 1024;
constexpr double standard_gravity = 9.81;  ///< m/s^2, only to give impulses and guesses a scale

class Constraints1998 final : public ContactModel {
  public:
    explicit Constraints1998(const Constraints1998Options& options) : options_(options) {}

    ContactReport before(const Problem& problem, const Demands& demands) override {
        find_acceleration(problem);
        find_contacts(problem);
        ContactReport report;
        contacts_.clear();
        for (const Chunk& chunk : chunks_) {
            contacts_.insert(contacts_.end(), chunk.contacts.begin(), chunk.contacts.end());
            report.pinned_conflicts += chunk.pinned_conflicts;
        }
        for_each_vertex([&](std::span<StepContact> contacts) {
            const Index vertex = contacts.front().record.vertex;
            demand_step(contacts, numbers_of(problem, vertex), demands);
            ++report.contacts;
            report.sliding += std::none_of(contacts.begin(), contacts.end(), [](const auto& c) {
                return c.record.state == ContactState::stick;
            });
            for (const StepContact& contact : contacts)
                report.deepest = std::max(report.deepest, contact.touch.depth);
            report.altered += vec3(demands.alteration, vertex).norm();
        });
        memory_.velocity = problem.v;
        memory_.step = problem.step;
        remember();
        return report;
    }

    void after(const Problem& problem, const sparse::NodeFilter&, const VecX& constraint_impulse,
               VecX&, VecX& v, ContactReport& report) override {
        if (report.contacts == 0) return;
        TAFFETA_ASSERT(constraint_impulse.size() == v.size());
        for_each_vertex([&](std::span<StepContact> contacts) {
            const Index vertex = contacts.front().record.vertex;
            const VertexNumbers numbers = numbers_of(problem, vertex);
            judge_step(contacts, vec3(constraint_impulse, vertex),
                       {vec3(problem.v, vertex), vec3(v, vertex)}, numbers,
                       {options_.release_tolerance * standard_gravity * numbers.mass * numbers.step,
                        options_.stick_velocity});
            for (const StepContact& contact : contacts)
                report.released += contact.record.state == ContactState::released;
        });
        remember();
    }

    std::vector<char> save() const override { return memory_.save(); }
    void load(std::span<const char> bytes) override { memory_ = ContactMemory::load(bytes); }

  private:
    struct Chunk {
        std::vector<StepContact> contacts;
        Index pinned_conflicts = 0;
    };

    static bool by_vertex(const ContactRecord& a, const ContactRecord& b) {
        return std::tie(a.vertex, a.obstacle) < std::tie(b.vertex, b.obstacle);
    }

    /// Keeps the records of all contacts, also of those that were released earlier and have not
    /// left yet. After a step without a touching one there is nothing to judge.
    void remember() {
        memory_.records.clear();
        for (const StepContact& contact : contacts_)
            memory_.records.push_back(contact.record);
        std::sort(memory_.records.begin(), memory_.records.end(), by_vertex);
    }

    /// Of the last step; 0 where an obstacle held the vertex, whose next velocity it says nothing
    /// about.
    void find_acceleration(const Problem& problem) {
        acceleration_.setZero(problem.v.size());
        if (memory_.velocity.size() != problem.v.size()) return;
        acceleration_ = (problem.v - memory_.velocity) / memory_.step;
        for (const ContactRecord& record : memory_.records)
            vec3(acceleration_, record.vertex).setZero();
    }

    VertexNumbers numbers_of(const Problem& problem, Index vertex) const {
        const auto i = std::size_t(vertex);
        return {problem.mass[vertex], problem.step,
                options_.max_alteration * problem.shortest_edge[i]};
    }

    /// Calls `body` with the touching contacts of one vertex after another.
    template <class Body>
    void for_each_vertex(const Body& body) {
        for (std::size_t k = 0; k < contacts_.size();) {
            std::size_t end = k;
            while (end < contacts_.size() &&
                   contacts_[end].record.vertex == contacts_[k].record.vertex)
                ++end;
            // Within a vertex the touching ones come first; the rest was released and is leaving.
            const auto last = std::partition(
                contacts_.begin() + std::ptrdiff_t(k), contacts_.begin() + std::ptrdiff_t(end),
                [](const StepContact& c) { return c.touch.state == Touch::State::touching; });
            const std::span touching(contacts_.begin() + std::ptrdiff_t(k), last);
            if (!touching.empty()) body(touching);
            k = end;
        }
    }

    void find_contacts(const Problem& problem) {
        const Index vertices = Index(problem.mass.size());
        chunks_.resize(std::size_t((vertices + grain - 1) / grain));
        parallel_chunks(vertices, grain, [&](Index begin, Index end) {
            Chunk& chunk = chunks_[std::size_t(begin / grain)];
            chunk.contacts.clear();
            chunk.pinned_conflicts = 0;
            for (Index vertex = begin; vertex < end; ++vertex)
                find_contacts_of(problem, vertex, chunk);
        });
    }

    void find_contacts_of(const Problem& problem, Index vertex, Chunk& chunk) {
        const bool pinned = !problem.pinned.empty() && problem.pinned[std::size_t(vertex)] != 0;
        const Flight flight{vec3(problem.x, vertex), expected_end(problem, vertex), problem.time,
                            problem.step};
        bool conflict = false;
        for (Index k = 0; k < Index(problem.obstacles.size()); ++k) {
            const PlacedObstacle& obstacle = problem.obstacles[std::size_t(k)];
            const ContactRecord* known = find_record(vertex, k);
            const History history = !known                                   ? History::none
                                    : known->state == ContactState::released ? History::released
                                                                             : History::held;
            const Touch touch = find_touch(*obstacle.shape, flight, options_.thickness, history);
            const bool touching = touch.state == Touch::State::touching;
            if (pinned) {
                conflict = conflict || touching;
            } else if (touching) {
                StepContact contact{{vertex, k, ContactState::slide, 0},
                                    touch,
                                    obstacle.friction,
                                    slip_of(touch, vec3(problem.v, vertex))};
                if (history == History::held)
                    contact.record = *known;
                else if (lands_sticking(contact, vec3(problem.v, vertex), problem.step))
                    contact.record.state = ContactState::stick;
                chunk.contacts.push_back(contact);
            } else if (history == History::released && touch.state == Touch::State::close) {
                chunk.contacts.push_back({*known, touch, obstacle.friction});
            }
        }
        chunk.pinned_conflicts += conflict;
    }

    /// Coulomb's law for an impact: friction stops a slip of up to mu times the speed of approach,
    /// here with a step's weight added, so that what is laid down at rest begins to stick. If less
    /// presses it down, the first impulse shows that and it slides.
    static bool lands_sticking(const StepContact& contact, const Vec3& velocity, double step) {
        const Touch& touch = contact.touch;
        const double approach = touch.normal.dot(touch.surface_velocity - velocity);
        return contact.friction > 0 &&
               contact.slip.norm() <=
                   contact.friction * (std::max(0.0, approach) + standard_gravity * step);
    }

    /// Where the vertex is expected at t+h. The last acceleration foresees free fall, and counts no more than
    /// that: a stiff sheet that trembles is about to turn back, and a constraint would drag it to the obstacle
    /// at the speed of the wrong guess.
    Vec3 expected_end(const Problem& problem, Index vertex) const {
        const Vec3 end = vec3(problem.x, vertex) + problem.step * vec3(problem.v, vertex);
        const Vec3 acceleration = vec3(acceleration_, vertex);
        const double part = standard_gravity / std::max(standard_gravity, acceleration.norm());
        return end + problem.step * problem.step * part * acceleration;
    }

    const ContactRecord* find_record(Index vertex, Index obstacle) const {
        const ContactRecord wanted{vertex, obstacle};
        const auto found =
            std::lower_bound(memory_.records.begin(), memory_.records.end(), wanted, by_vertex);
        if (found == memory_.records.end() || by_vertex(wanted, *found)) return nullptr;
        return &*found;
    }

    Constraints1998Options options_;
    ContactMemory memory_;
    // Of the step under way:
    std::vector<Chunk> chunks_;
    std::vector<StepContact> contacts_;  ///< by vertex
    VecX acceleration_;                  ///< expected, m/s^2
};

}  // namespace

Fields<Constraints1998Options> Constraints1998Options::fields() {
    using Options = Constraints1998Options;
    return {{"thickness", &Options::thickness, "distance kept from obstacles, m", positive()},
            {"release_tolerance", &Options::release_tolerance,
             "pull that a contact bears before it is released, in units of the weight on a "
             "vertex",
             at_least(0)},
            {"max_alteration", &Options::max_alteration,
             "largest displacement out of an obstacle in a step, in shortest edge lengths",
             between(0, 1)},
            {"stick_velocity", &Options::stick_velocity,
             "a vertex that slips faster does not begin to stick, m/s", at_least(0)}};
}

std::unique_ptr<ContactModel> make_constraints_1998(const Constraints1998Options& options) {
    return std::make_unique<Constraints1998>(options);
}

extern const ContactModelEntry entry_constraints_1998;
constinit const ContactModelEntry entry_constraints_1998{
    "constraints_1998",
    "constraints on vertices that touch an obstacle, with friction [BW98, section 6]",
    {},
    [] { return field_table<Constraints1998Options>(); },
    [](const Settings& settings) -> std::unique_ptr<ContactModel> {
        return make_constraints_1998(read_options<Constraints1998Options>(settings));
    }};

}  // namespace taffeta::contact
