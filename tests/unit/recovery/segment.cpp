#include "recovery/segment.hpp"

#include <limits>

#include "tests/unit/recovery/samples.hpp"
#include "tests/unit/recovery/suites.hpp"

using namespace mscale::recovery;

namespace {


void expect_parts_apart(const SegmentLayout& layout)
{
    std::uint64_t end = SegmentLayout::page; // of the words
    for (unsigned slot = 0; slot < SegmentLayout::slots; ++slot) {
        ck_assert(layout.header_at(slot) >= end);
        ck_assert(layout.manifest_at(slot) >= layout.header_at(slot) + SegmentLayout::page);
        ck_assert(layout.data_at(slot) >= layout.manifest_at(slot) + layout.manifest_bytes);
        ck_assert(layout.trailer_at(slot) >= layout.data_at(slot) + layout.data_bytes);
        end = layout.trailer_at(slot) + SegmentLayout::page;
    }
    ck_assert(layout.total_bytes >= end);
}

} // namespace

START_TEST(parts_lie_apart_and_data_on_huge_pages)
{
    for (const std::uint64_t page : {std::uint64_t(4096), 2 * mib, 1024 * mib})
        for (const std::uint64_t state :
             {std::uint64_t(0), std::uint64_t(1), mib - 1, mib, 100 * mib + 1, 65536 * mib}) {
            const SegmentLayout layout = lay_out_segment(state, page);
            ck_assert(layout.data_bytes >= state && layout.total_bytes % page == 0);
            ck_assert(layout.data_at(0) % (2 * mib) == 0 && layout.data_at(1) % (2 * mib) == 0);
            expect_parts_apart(layout);
        }
}
END_TEST

START_TEST(a_layout_is_the_same_in_every_build)
{
    const SegmentLayout layout = lay_out_segment(256 * mib, 4096);
    ck_assert_uint_eq(layout.manifest_bytes, 16 * mib);
    ck_assert_uint_eq(layout.data_offset, 18 * mib);
    ck_assert_uint_eq(layout.slot_bytes, 276 * mib);
    ck_assert_uint_eq(layout.total_bytes, 554 * mib);
}
END_TEST

START_TEST(no_state_is_so_large_that_a_number_wraps)
{
    const SegmentLayout layout = lay_out_segment(std::numeric_limits<std::uint64_t>::max(), 1024 * mib);
    ck_assert(layout == lay_out_segment(SegmentLayout::most_state_bytes, 1024 * mib));
    expect_parts_apart(layout);
}
END_TEST

START_TEST(both_sides_see_the_shared_words)
{
    Segment segment(1000);
    const SegmentView writer = segment.view(), reader = segment.view();
    ck_assert(reader.committed_epoch() == 0 && reader.abandoned_epoch() == 0 && !reader.degraded());
    writer.set_committed_epoch(1ull << 40);
    writer.set_abandoned_epoch(12);
    writer.set_degraded(true);
    ck_assert(reader.committed_epoch() == 1ull << 40 && reader.abandoned_epoch() == 12 && reader.degraded());
    writer.set_degraded(false);
    ck_assert(reader.committed_epoch() == 1ull << 40 && !reader.degraded());
}
END_TEST

Suite* segment_suite()
{
    return make_suite("segment", parts_lie_apart_and_data_on_huge_pages, a_layout_is_the_same_in_every_build,
                      no_state_is_so_large_that_a_number_wraps, both_sides_see_the_shared_words);
}
