#include "taffeta/contact/barrier_contact.h"

/// The guaranteed mode: incremental potential contact. Cloth, obstacles and cloth itself repel each other
/// by a barrier that no iteration crosses, inside one minimisation a step (sim/barrier_step.h). Slower
/// than pipeline_2015, and free of impulses, zones and cuts: what moves is what the energy says. [Li2020]
namespace taffeta::contact {
namespace {

class BarrierModel final : public ContactModel {
  public:
    explicit BarrierModel(const BarrierOptions& options) : contact_(options) {}

    ContactReport before(const Problem& problem, const Demands&) override {
        ContactReport report;
        report.springs = contact_.begin(problem);
        return report;
    }
    void after(const Problem&, const sparse::NodeFilter&, const VecX&, VecX&, VecX&,
               ContactReport&) override {}
    PositionContact* within_step() override { return &contact_; }
    bool tolerates_intersections() const override { return false; }
    bool needs_free_start() const override { return true; }

    /// All is in the positions.
    std::vector<char> save() const override { return {}; }
    void load(std::span<const char>) override {}

  private:
    BarrierContact contact_;
};

}  // namespace

extern const ContactModelEntry entry_barrier;
constinit const ContactModelEntry entry_barrier{
    "barrier",
    "nothing crosses: a barrier and smooth friction inside Newton's method [Li2020]",
    {.guaranteed = true, .self_contact = true},
    [] { return field_table<BarrierOptions>(); },
    [](const Settings& settings) -> std::unique_ptr<ContactModel> {
        return std::make_unique<BarrierModel>(read_options<BarrierOptions>(settings));
    }};

}  // namespace taffeta::contact
