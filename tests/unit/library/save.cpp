#include "library/save.hpp"

#include <vector>

#include "library/restore.hpp"
#include "tests/unit/library/suites.hpp"

using namespace mscale;
using namespace mscale::library;
using recovery::DataType;
using recovery::Extent;
using recovery::ExtentKind;

namespace {

const recovery::Owner owner{.job_id = 7, .uid = 1000, .rank = 1, .ranks = 2, .incarnation = {}};

struct Memory {
    recovery::SegmentLayout layout = recovery::lay_out_segment(8192, recovery::SegmentLayout::page);
    std::vector<std::byte> bytes = std::vector<std::byte>(layout.total_bytes);
    recovery::SegmentView view() { return {bytes, layout}; }
};

Save start_save(Memory& memory)
{
    return Save(memory.view(), 0, {.owner = owner, .epoch = 4, .step = 40});
}

std::vector<std::byte> filled(std::size_t size, int value)
{
    return std::vector<std::byte>(size, static_cast<std::byte>(value));
}

Extent tensor(const char* name, std::vector<std::uint64_t> shape, DataType type = DataType::f32)
{
    return {.name = name,
            .kind = ExtentKind::tensor,
            .type = type,
            .global = shape,
            .offset = std::vector<std::uint64_t>(shape.size()),
            .shape = shape};
}

START_TEST(what_was_put_is_got_back)
{
    Memory memory;
    Save save = start_save(memory);
    ck_assert(save.put(tensor("weight", {2, 3}), filled(24, 1)).has_value());
    ck_assert(save.put({.name = "note"}, filled(5, 2)).has_value());
    ck_assert(save.put({.name = "empty"}, {}).has_value());
    ck_assert(save.seal().has_value());
    const auto restore = Restore::open(memory.view(), {0, 4, 40}, owner);
    ck_assert(restore.has_value() && restore->extents().size() == 3 && restore->extents()[1].at == 64);
    std::vector<std::byte> weight(24), note(5);
    ck_assert(restore->get("weight", weight).has_value() && weight == filled(24, 1));
    ck_assert(restore->get("note", note).has_value() && note == filled(5, 2));
    ck_assert(restore->get("empty", {}).has_value());
    ck_assert(restore->get("note", weight).error().code == Code::save_order);
    ck_assert(restore->get("nothing", {}).error().code == Code::save_order);
}
END_TEST

START_TEST(a_put_beyond_the_reserved_size_is_refused_with_numbers_and_the_save_can_not_be_sealed)
{
    Memory memory;
    Save save = start_save(memory);
    ck_assert(save.put({.name = "a"}, filled(8000, 1)).has_value());
    const auto put = save.put({.name = "b"}, filled(200, 1));
    ck_assert(!put && put.error().code == Code::snapshot_room);
    expect_part(put.error().text, "'b' of 200 bytes after 8000 passes the 8192");
    ck_assert(save.seal().error().code == Code::snapshot_room);
    ck_assert(!recovery::read_slot(memory.view(), 0, owner).value());
}
END_TEST

START_TEST(a_state_of_exactly_the_reserved_size_fits)
{
    Memory memory;
    Save save = start_save(memory);
    ck_assert(save.put({.name = "a"}, filled(8192, 1)).has_value() && save.seal().has_value());
}
END_TEST

START_TEST(names_that_are_empty_too_long_or_put_twice_are_refused)
{
    Memory memory;
    for (const std::string& name : {std::string(), std::string(513, 'x')}) {
        Save save = start_save(memory);
        ck_assert(save.put({.name = name}, {}).error().code == Code::save_order);
    }
    Save save = start_save(memory);
    ck_assert(save.put({.name = "a"}, {}).has_value());
    expect_part(save.put({.name = "a"}, {}).error().text, "twice");
}
END_TEST

START_TEST(a_tensor_whose_bytes_or_place_are_not_those_of_its_shape_is_refused)
{
    Memory memory;
    Save first = start_save(memory);
    expect_part(first.put(tensor("t", {2, 3}), filled(23, 1)).error().text, "23 bytes aren't the 24");
    Extent outside = tensor("t", {2});
    outside.offset = {1};
    Save second = start_save(memory);
    expect_part(second.put(std::move(outside), filled(8, 1)).error().text, "axis 0");
    Save third = start_save(memory);
    const std::uint64_t huge = std::uint64_t{1} << 40;
    expect_part(third.put(tensor("t", {huge, huge}), {}).error().text, "greater");
}
END_TEST

START_TEST(a_snapshot_of_another_rank_job_or_epoch_or_with_a_flipped_bit_is_not_opened)
{
    Memory memory;
    Save save = start_save(memory);
    ck_assert(save.put({.name = "a"}, filled(1000, 1)).has_value() && save.seal().has_value());
    recovery::Owner other = owner;
    other.rank = 0;
    ck_assert(Restore::open(memory.view(), {0, 4, 40}, other).error().code == Code::snapshot_foreign);
    ck_assert(Restore::open(memory.view(), {0, 5, 40}, owner).error().code == Code::snapshot_damaged);
    ck_assert(Restore::open(memory.view(), {1, 4, 40}, owner).error().code == Code::snapshot_damaged);
    memory.view().data(0)[500] ^= std::byte{4};
    const auto damaged = Restore::open(memory.view(), {0, 4, 40}, owner);
    ck_assert(!damaged && damaged.error().code == Code::snapshot_damaged);
    expect_part(damaged.error().text, "rank 1, epoch 4");
    expect_part(damaged.error().text, "a");
}
END_TEST

} // namespace

Suite* save_suite()
{
    return make_suite("save", what_was_put_is_got_back,
                      a_put_beyond_the_reserved_size_is_refused_with_numbers_and_the_save_can_not_be_sealed,
                      a_state_of_exactly_the_reserved_size_fits,
                      names_that_are_empty_too_long_or_put_twice_are_refused,
                      a_tensor_whose_bytes_or_place_are_not_those_of_its_shape_is_refused,
                      a_snapshot_of_another_rank_job_or_epoch_or_with_a_flipped_bit_is_not_opened);
}
