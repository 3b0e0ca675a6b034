#include "taffeta/contact/contact_memory.h"

#include <cstring>

namespace taffeta::contact {
namespace {

template <class T>
void put(char*& cursor, const T& value) {
    std::memcpy(cursor, &value, sizeof(T));
    cursor += sizeof(T);
}

template <class T>
T take(std::span<const char>& bytes) {
    if (bytes.size() < sizeof(T)) fail_input("contact memory", "it ends too early");
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    bytes = bytes.subspan(sizeof(T));
    return value;
}

constexpr std::size_t head_size = 2 * sizeof(std::uint64_t) + sizeof(double);
constexpr std::size_t record_size = 3 * sizeof(std::int32_t) + 4 * sizeof(double);

}  // namespace

std::vector<char> ContactMemory::save() const {
    const auto numbers = std::size_t(velocity.size());
    std::vector<char> bytes(head_size + records.size() * record_size + numbers * sizeof(double));
    char* cursor = bytes.data();
    put(cursor, std::uint64_t(records.size()));
    put(cursor, std::uint64_t(numbers));
    put(cursor, step);
    // Member by member: a struct's padding has no defined bytes.
    for (const ContactRecord& record : records) {
        put(cursor, record.vertex);
        put(cursor, record.obstacle);
        put(cursor, std::int32_t(record.state));
        put(cursor, record.normal_force);
        for (int d = 0; d < 3; ++d)
            put(cursor, record.drive[d]);
    }
    if (numbers > 0) std::memcpy(cursor, velocity.data(), numbers * sizeof(double));
    return bytes;
}

ContactMemory ContactMemory::load(std::span<const char> bytes) {
    ContactMemory memory;
    if (bytes.empty()) return memory;
    const auto count = take<std::uint64_t>(bytes);
    const auto numbers = take<std::uint64_t>(bytes);
    memory.step = take<double>(bytes);
    // Each against what is there first: the products could wrap.
    if (count > bytes.size() || numbers > bytes.size() ||
        count * record_size + numbers * sizeof(double) != bytes.size())
        fail_input("contact memory", "its size does not fit its counts");
    memory.records.reserve(count);
    for (std::uint64_t k = 0; k < count; ++k) {
        ContactRecord record;
        record.vertex = take<Index>(bytes);
        record.obstacle = take<Index>(bytes);
        record.state = ContactState(take<std::int32_t>(bytes));
        record.normal_force = take<double>(bytes);
        for (int d = 0; d < 3; ++d)
            record.drive[d] = take<double>(bytes);
        if (record.state < ContactState::stick || record.state > ContactState::released)
            fail_input("contact memory", "it holds an unknown state");
        memory.records.push_back(record);
    }
    memory.velocity.resize(Eigen::Index(numbers));
    if (numbers > 0) std::memcpy(memory.velocity.data(), bytes.data(), bytes.size());
    return memory;
}

}  // namespace taffeta::contact
