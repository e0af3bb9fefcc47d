// What other ranks wrote is believed no more than its checksums.
#include "library/written.hpp"

#include "tests/unit/library/suites.hpp"
#include "tests/unit/library/written_states.hpp"

using namespace mscale;
using namespace mscale::library;
using Part = WrittenPiece::Kind;

namespace {

WrittenStates two_ranks()
{
    std::vector<WrittenState> states(2);
    for (WrittenState& state : states) state.add("state", recovery::ExtentKind::opaque, std::string(5 << 20, 'x'));
    return WrittenStates(std::move(states));
}

/// The error of opening, after `change` of the second rank's header.
Error open_with(const std::function<void(recovery::SealedSlot&)>& change)
{
    WrittenStates states = two_ranks();
    recovery::SealedSlot sealed = states.sealed(1);
    change(sealed);
    states.set_header(1, sealed);
    return states.open().error();
}

START_TEST(a_flipped_byte_of_data_is_found_before_any_of_its_chunk_is_used)
{
    WrittenStates states = two_ranks();
    states.texts[{1, Part::data}][4 << 20] ^= 1;
    auto written = states.open();
    std::vector<std::byte> place(16);
    ck_assert(written->copy(states.reader(), 1, 0, place).has_value() && place[15] == std::byte('x'));
    std::vector<std::byte> untouched(16);
    const auto copied = written->copy(states.reader(), 1, (4 << 20) + 64, untouched);
    ck_assert(copied.error().code == Code::snapshot_damaged && untouched[0] == std::byte(0));
    expect_part(copied.error().text, "rank 1 of those that wrote: chunk 1 of 2");
    ck_assert(written->copy(states.reader(), 0, (4 << 20) + 64, untouched).has_value());
}
END_TEST

START_TEST(a_damaged_header_or_manifest_opens_nothing)
{
    for (const Part kind : {Part::header, Part::manifest})
        for (const std::size_t at : {0U, 9U, 40U}) {
            WrittenStates states = two_ranks();
            states.texts[{1, kind}][at] ^= 1;
            const Error error = states.open().error();
            ck_assert(error.code == Code::snapshot_damaged || error.code == Code::snapshot_version);
            expect_part(error.text, "rank 1 of those that wrote");
        }
}
END_TEST

START_TEST(another_epoch_run_user_or_number_of_ranks_is_foreign)
{
    ck_assert(open_with([](auto& sealed) { sealed.header.epoch = 6; }).code == Code::snapshot_foreign);
    ck_assert(open_with([](auto& sealed) { sealed.header.step = 6; }).code == Code::snapshot_foreign);
    ck_assert(open_with([](auto& sealed) { sealed.header.owner.rank = 0; }).code == Code::snapshot_foreign);
    ck_assert(open_with([](auto& sealed) { sealed.header.owner.ranks = 3; }).code == Code::snapshot_foreign);
    ck_assert(open_with([](auto& sealed) { sealed.header.owner.uid = 0; }).code == Code::snapshot_foreign);
    ck_assert(open_with([](auto& sealed) { sealed.header.owner.incarnation.step = 4; }).code == Code::snapshot_foreign);
}
END_TEST

START_TEST(sizes_that_a_header_makes_up_take_no_memory)
{
    ck_assert(open_with([](auto& sealed) { sealed.header.manifest_bytes = UINT32_MAX; }).code == Code::snapshot_room);
    ck_assert(open_with([](auto& sealed) { sealed.header.data_bytes = UINT64_MAX; }).code == Code::snapshot_damaged);
    ck_assert(open_with([](auto& sealed) { sealed.header.manifest_bytes -= 1; }).code == Code::snapshot_damaged);
}
END_TEST

} // namespace

Suite* written_suite()
{
    return make_suite("written", a_flipped_byte_of_data_is_found_before_any_of_its_chunk_is_used,
                      a_damaged_header_or_manifest_opens_nothing, another_epoch_run_user_or_number_of_ranks_is_foreign,
                      sizes_that_a_header_makes_up_take_no_memory);
}
