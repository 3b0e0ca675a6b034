#include "taffeta/contact/contact_model.h"

namespace taffeta::contact {
namespace {

/// Cloth passes through everything.
class NoContact final : public ContactModel {
  public:
    ContactReport before(const Problem&, const Demands&) override { return {}; }
    void after(const Problem&, const sparse::NodeFilter&, const VecX&, VecX&, VecX&,
               ContactReport&) override {}
    std::vector<char> save() const override { return {}; }
    void load(std::span<const char>) override {}
};

}  // namespace

extern const ContactModelEntry entry_none;
constinit const ContactModelEntry entry_none{
    "none",
    "no contact: cloth passes through obstacles",
    {},
    [] { return field_table<NoOptions>(); },
    [](const Settings& settings) -> std::unique_ptr<ContactModel> {
        read_options<NoOptions>(settings);
        return std::make_unique<NoContact>();
    }};

}  // namespace taffeta::contact
