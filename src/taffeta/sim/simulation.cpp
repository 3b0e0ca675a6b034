#include "taffeta/sim/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "taffeta/base/byte_stream.h"
#include "taffeta/base/timer.h"
#include "taffeta/energy/plastic.h"
#include "taffeta/sim/barrier_step.h"
#include "taffeta/sim/pins.h"
#include "taffeta/sim/quasistatic.h"

namespace taffeta::sim {

namespace {

/// Halvings of a step after which contact may leave alone what it cannot hold apart.
constexpr int contact_retries = 2;

std::vector<double> shortest_rest_edges(const World& world) {
    std::vector<double> shortest(std::size_t(world.vertex_count()),
                                 std::numeric_limits<double>::infinity());
    for (const Body& body : world.bodies) {
        for (const mesh::Tet& tet : body.tets.tet)
            for (const auto& edge : mesh::tet_edge) {
                const Index ends[2] = {tet[std::size_t(edge[0])], tet[std::size_t(edge[1])]};
                const double length = (body.tets.position[std::size_t(ends[1])] -
                                       body.tets.position[std::size_t(ends[0])])
                                          .norm();
                for (const Index end : ends) {
                    double& here = shortest[std::size_t(body.first_vertex + end)];
                    here = std::min(here, length);
                }
            }
        for (std::size_t f = 0; f < body.mesh.face.size(); ++f)
            for (std::size_t k = 0; k < 3; ++k) {
                const std::array<Vec2, 3>& uv = body.rest.face_uv[f];
                const double length = (uv[(k + 1) % 3] - uv[k]).norm();
                for (const std::size_t corner : {k, (k + 1) % 3}) {
                    double& here =
                        shortest[std::size_t(body.first_vertex + body.mesh.face[f][corner])];
                    here = std::min(here, length);
                }
            }
    }
    return shortest;
}

/// Appends the faces and edges of all bodies over the world's vertices.
void add_surfaces(const World& world, std::vector<Triangle>& faces, std::vector<Edge>& edges) {
    for (const Body& body : world.bodies) {
        const Index first = body.first_vertex;
        for (const Triangle& face : body.mesh.face)
            faces.push_back({face[0] + first, face[1] + first, face[2] + first});
        for (const Edge& edge : body.topology.edge)
            edges.push_back({edge[0] + first, edge[1] + first});
    }
}

/// Sums what the pieces of a step, or the tries of it, did; the last one gives the state of things at
/// the end.
void add_piece(StepRecord& record, const StepRecord& piece) {
    const ode::StepReport sum = record.integration;
    const contact::ContactReport events = record.contact;
    record.t = piece.t;
    record.contact = piece.contact;
    record.contact.impacts += events.impacts;
    record.contact.rounds += events.rounds;
    record.contact.zone_impacts += events.zone_impacts;
    record.contact.stopped += events.stopped;
    record.contact.pinched += events.pinched;
    record.strain = piece.strain;
    record.integration = piece.integration;
    record.integration.linear_solves += sum.linear_solves;
    record.integration.linear_iterations += sum.linear_iterations;
    record.integration.newton_iterations += sum.newton_iterations;
    record.integration.force_evaluations += sum.force_evaluations;
    record.integration.newton_floor = std::max(record.integration.newton_floor, sum.newton_floor);
    record.times += piece.times;
}

/// The energies of a world that crease.
std::vector<energy::PlasticTerm*> plastic_terms(const World& world) {
    std::vector<energy::PlasticTerm*> found;
    for (const auto& energy : world.energies)
        if (auto* term = dynamic_cast<energy::PlasticTerm*>(energy.get()); term && term->yields())
            found.push_back(term);
    return found;
}

/// Whether an obstacle is elsewhere, or of another shape, after h.
bool obstacles_move(const World& world, double h) {
    const double t = world.state.t;
    return std::any_of(world.obstacles.begin(), world.obstacles.end(), [&](const auto& obstacle) {
        return obstacle.shape->surface(t).position != obstacle.shape->surface(t + h).position;
    });
}

}  // namespace

Simulation::Simulation(World world, Tools tools, TimeOptions time)
    : world_(std::move(world)), tools_(std::move(tools)), time_(time) {
    TAFFETA_ASSERT(world_.state.x.size() == 3 * world_.mass.size());
    TAFFETA_ASSERT(world_.state.v.size() == world_.state.x.size());
    world_.initial_x = world_.state.x;
    if (time_.adaptive) {
        control_.emplace(*time_.adaptive);
        tools_.integrator->set_error_scale(control_->scale(time_.length()));
    }
    system_ = std::make_unique<ClothSystem>(world_, *tools_.solver);
    system_->set_rayleigh(tools_.rayleigh);
    machine_ = std::make_unique<StepMachine>(
        StepMachine{world_,
                    *system_,
                    *tools_.integrator,
                    *tools_.contact,
                    std::vector<char>(std::size_t(world_.vertex_count())),
                    shortest_rest_edges(world_),
                    {},
                    {},
                    {},
                    {}});
    add_surfaces(world_, machine_->faces, machine_->edges);
}

Simulation::~Simulation() = default;

/// Pins and obstacles go where they are at the end of a frame, in a step of that length in which cloth gives way;
/// then friction, which knows of motion only, has done its part. False when they cannot get there.
bool Simulation::begin_contact(double h, contact::PositionContact& contact, StepRecord& record) {
    const bool moves = system_->filter().has_targets() || obstacles_move(world_, h);
    machine_->trial = world_.state;  // where the step of the contact begins
    const contact::Problem problem{machine_->trial.x,
                                   machine_->trial.v,
                                   world_.mass,
                                   world_.state.t,
                                   h,
                                   world_.obstacles,
                                   machine_->pinned,
                                   machine_->shortest_edge,
                                   machine_->faces,
                                   machine_->edges};
    record.contact = tools_.contact->before(problem, {system_->filter(), system_->alteration(),
                                                      system_->impulse(), system_->repulsion()});
    system_->begin_step(h);
    if (moves) {
        ode::State moved = world_.state;
        record.integration = take_barrier_step(world_, *system_, contact, h, moved);
        if (!record.integration.ok()) return false;
        world_.state.x = moved.x;
    }
    contact.drop_friction();
    return true;
}

StepRecord Simulation::equilibrium_step() {
    ByteWriter state;
    write_state(state);
    const std::vector<char> before = state.take();
    const double h = time_.h();
    StepRecord record;
    Timer whole;
    system_->times() = {};
    system_->clear_constraints();
    apply_pins(world_, h, system_->filter(), machine_->pinned);
    contact::PositionContact* const contact = tools_.contact->within_step();
    EquilibriumReport found;
    if (contact && !begin_contact(h, *contact, record)) {
        found.status = EquilibriumStatus::solver_failed;
        found.message = record.integration.solve.message;
    } else {
        VecX& x = world_.state.x;
        if (!contact) {
            for (const sparse::NodeFilter::Entry& entry : system_->filter().entries())
                vec3(x, entry.vertex) += h * entry.target;
            system_->begin_step(h);
        }
        QuasistaticOptions options = *time_.quasistatic;
        if (progress_.step > 0) options.load_steps = 0;  // it bears its weight already
        found = find_equilibrium(world_, *system_, world_.state.t + h, options, x, contact);
        record.contact.springs = Index(system_->repulsion().springs().size());
    }
    world_.state.v.setZero();
    record.integration.newton_iterations += found.iterations;
    record.integration.linear_solves += found.iterations + found.refused;
    record.integration.linear_iterations += found.linear_iterations;
    record.integration.force_evaluations += found.evaluations;
    record.integration.newton_residual = found.gradient;
    record.integration.newton_floor = found.floor;
    record.times = system_->times();
    record.times.other = std::max(0.0, whole.seconds() - record.times.total());
    if (!found.ok()) {
        ByteReader start(before);
        read_state(start);
        record.integration.solve.status =
            found.status == EquilibriumStatus::max_iterations ? SolveStatus::max_iterations
            : found.status == EquilibriumStatus::not_finite   ? SolveStatus::not_finite
                                                              : SolveStatus::breakdown;
        record.integration.solve.message = found.message;
        message_ = fmt::format("the equilibrium of frame {} was not found: {}: {}",
                               progress_.step + 1, to_string(found.status), found.message);
    }
    record.h = h;
    record.step = progress_.step + 1;
    return commit(std::move(record), double(record.step) * h);
}

StepRecord Simulation::adaptive_step() {
    const double goal = double(progress_.frame + 1) / time_.frame_rate;
    ByteWriter state;
    write_state(state);
    const std::vector<char> before = state.take();
    const ode::State begin = world_.state;
    if (!control_->started())
        control_->start(time_.adaptive->first_step > 0 ? time_.adaptive->first_step
                                                       : 0.01 / time_.frame_rate);
    StepRecord record;
    record.step = progress_.step + 1;
    for (;;) {
        if (double(tries_) >= time_.adaptive->max_steps) {
            record.integration.solve.status = SolveStatus::max_iterations;
            message_ = fmt::format(
                "{} tries, time.adaptive.max_steps, led to t = {:.6g} s only, not to the frame at "
                "{:.6g} s",
                tries_, begin.t, goal);
            record.integration.solve.message = message_;
            return record;
        }
        ++tries_;
        const double left = goal - begin.t, h = control_->step(*tools_.integrator, left);
        const StepRecord tried = take_step(*machine_, h);
        add_piece(record, tried);
        if (!record.ok()) {
            ++record.failed;
            if (control_->failed(h)) continue;
        } else if (control_->accept(*tools_.integrator, tried.integration, begin, world_.state, h,
                                    time_.length())) {
            record.h = h;
            record.error = control_->error();
            return commit(std::move(record), h == left ? goal : world_.state.t);
        } else {
            ++record.rejected;
            const ode::StepControl control = *control_;
            ByteReader start(before);
            read_state(start);
            control_ = control;
            if (!control_->too_small()) continue;
            record.integration.solve.status = SolveStatus::breakdown;
            record.integration.solve.message = "its error is above the tolerance";
        }
        message_ = fmt::format(
            "at t = {:.6g} s a step of {:.3g} s would be below time.adaptive.smallest_step; the "
            "last "
            "try, of {:.3g} s, failed: {}: {}",
            begin.t, control_->wanted(), h, to_string(record.integration.solve.status),
            record.integration.solve.message);
        return record;
    }
}

StepRecord Simulation::step() {
    if (time_.quasistatic) return equilibrium_step();
    if (time_.adaptive) return adaptive_step();
    // A failed step is cut into 2^level pieces; `left` counts pieces of the present size. Whatever
    // the pieces did is undone when one of them fails for good: a step is all or nothing.
    const double h = time_.h();
    ByteWriter state;
    write_state(state);
    const std::vector<char> before = state.take();
    StepRecord record;
    int level = 0;
    for (long left = 1; left > 0; --left) {
        const auto take_piece = [&] {
            return take_step(*machine_, std::ldexp(h, -level),
                             level >= std::min(time_.retries, contact_retries));
        };
        StepRecord piece = take_piece();
        while (!piece.ok() && level < time_.retries) {
            ++level;
            left *= 2;
            piece = take_piece();
        }
        add_piece(record, piece);
        if (piece.ok()) continue;
        ByteReader start(before);
        read_state(start);
        message_ =
            fmt::format("step {} at t = {:.6g} s failed also when cut to h = {:.3g} s: {}: {}",
                        progress_.step + 1, world_.state.t, std::ldexp(h, -level),
                        to_string(piece.integration.solve.status), piece.integration.solve.message);
        break;
    }
    record.pieces = 1 << level;
    record.h = h;
    record.step = progress_.step + 1;
    // Times of a fixed clock are exact multiples, not sums: no drift over long runs.
    return commit(std::move(record), double(record.step) * h);
}

StepRecord Simulation::commit(StepRecord record, double t) {
    if (!record.ok()) return record;

    ++progress_.step;
    world_.state.t = t;
    record.t = world_.state.t;
    for (energy::PlasticTerm* term : plastic_terms(world_))
        term->flow(world_.state.x);
    for (Observer* observer : observers_)
        observer->on_step(world_, record);
    return record;
}

RunStatus Simulation::advance(int last_frame, const std::function<bool()>& stop) {
    const int last = last_frame > 0 ? last_frame : time_.frames;
    if (progress_.step == 0 && progress_.frame == 0)
        for (Observer* observer : observers_)
            observer->on_frame(world_, 0);
    while (progress_.frame < last) {
        const int frame = progress_.frame + 1;
        const long goal = time_.steps_until(frame);
        const double end = double(frame) / time_.frame_rate;
        while (time_.adaptive ? world_.state.t < end : progress_.step < goal) {
            if (stop && stop()) return RunStatus::interrupted;
            if (!step().ok()) return RunStatus::failed;
        }
        ++progress_.frame;
        tries_ = 0;
        // A run that resumes here has of its solver what the checkpoint holds: so does one that goes
        // on.
        tools_.solver->settle();
        system_->settle();
        for (Observer* observer : observers_)
            observer->on_frame(world_, progress_.frame);
    }
    return RunStatus::done;
}

void Simulation::write_state(ByteWriter& bytes) const {
    bytes.put(std::int64_t(progress_.step));
    bytes.put(std::int64_t(progress_.frame));
    bytes.put(world_.state.t);
    bytes.put_vector(world_.state.x);
    bytes.put_vector(world_.state.v);
    bytes.put_bytes(tools_.integrator->save());
    bytes.put_bytes(tools_.contact->save());
    if (control_) bytes.put_bytes(control_->save());
}

void Simulation::read_state(ByteReader& bytes) {
    Progress progress;
    progress.step = long(bytes.get<std::int64_t>());
    progress.frame = int(bytes.get<std::int64_t>());
    const double t = bytes.get<double>();
    VecX x = bytes.get_vector(), v = bytes.get_vector();
    const std::vector<char> history = bytes.get_bytes(), memory = bytes.get_bytes();
    const std::vector<char> control = control_ ? bytes.get_bytes() : std::vector<char>{};
    if (x.size() != world_.state.x.size() || v.size() != world_.state.v.size())
        fail_input("checkpoint", fmt::format("holds {} vertices, the scene has {}", x.size() / 3,
                                             world_.vertex_count()));
    tools_.integrator->load(history);
    tools_.contact->load(memory);
    if (control_) control_->load(control);
    world_.state = {t, std::move(x), std::move(v)};
    progress_ = progress;
}

std::vector<char> Simulation::save() const {
    ByteWriter bytes;
    write_state(bytes);
    bytes.put_bytes(tools_.solver->save());
    for (const energy::PlasticTerm* term : plastic_terms(world_))
        bytes.put_vector(term->rest_state());
    return bytes.take();
}

void Simulation::load(std::span<const char> data) {
    ByteReader bytes(data);
    read_state(bytes);
    tools_.solver->load(bytes.get_bytes());
    for (energy::PlasticTerm* term : plastic_terms(world_)) {
        const VecX rest = bytes.get_vector();
        if (rest.size() != term->rest_state().size())
            fail_input("checkpoint", fmt::format("holds {} hinges, the scene has {}", rest.size(),
                                                 term->rest_state().size()));
        term->set_rest_state(rest);
    }
    system_->settle();
}

}  // namespace taffeta::sim
