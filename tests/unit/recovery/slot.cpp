#include "recovery/slot.hpp"

#include <algorithm>
#include <numeric>

#include "recovery/checksum.hpp"
#include "tests/unit/recovery/samples.hpp"
#include "tests/unit/recovery/suites.hpp"

using namespace mscale;
using namespace mscale::recovery;

namespace {

constexpr std::size_t header_bytes = 68, trailer_bytes = 20;

Manifest manifest_of(std::span<const std::byte> data)
{
    Manifest manifest = sample_manifest();
    manifest.data_bytes = data.size();
    manifest.chunks = crc32c_chunks(data);
    return manifest;
}

SlotHeader sample_header(std::uint64_t epoch)
{
    return {.owner = sample_owner(), .epoch = epoch, .step = epoch * 10};
}

void save(const SegmentView& view, unsigned slot, std::uint64_t epoch)
{
    open_slot(view, slot);
    std::ranges::fill(view.data(slot), static_cast<std::byte>(epoch));
    ck_assert(seal_slot(view, slot, sample_header(epoch), manifest_of(view.data(slot).first(1000))));
}

bool holds_snapshot(const SegmentView& view, unsigned slot)
{
    const auto read = read_slot(view, slot, sample_owner());
    return read && *read;
}

/// Places of `count` bytes from `part` on.
void append_places(std::vector<std::size_t>& places, const std::span<std::byte>& part, std::size_t count,
                   const std::vector<std::byte>& memory)
{
    const auto first = static_cast<std::size_t>(part.data() - memory.data());
    places.resize(places.size() + count);
    std::iota(places.end() - static_cast<std::ptrdiff_t>(count), places.end(), first);
}

/// Goes from one state of the memory to another byte by byte, in this order; no state between is a snapshot.
void expect_nothing_between(Segment& segment, const std::vector<std::byte>& to,
                            const std::vector<std::size_t>& places)
{
    std::size_t changes = 0; // after the last of them all is as it will be
    for (std::size_t i = 0; i < places.size(); ++i)
        if (segment.memory[places[i]] != to[places[i]]) changes = i;
    for (std::size_t i = 0; i < changes; ++i) {
        segment.memory[places[i]] = to[places[i]];
        ck_assert(!holds_snapshot(segment.view(), 0));
    }
    segment.memory[places[changes]] = to[places[changes]];
    ck_assert(changes > 0 && segment.memory == to);
}

} // namespace

START_TEST(a_sealed_slot_reads_back)
{
    Segment segment(1000);
    save(segment.view(), 0, 5);
    const auto read = read_slot(segment.view(), 0, sample_owner());
    ck_assert(read && *read && (*read)->header.epoch == 5 && (*read)->header.step == 50);
    ck_assert((*read)->header.owner == sample_owner() && (*read)->header.data_bytes == 1000);
    ck_assert((*read)->manifest == manifest_of(segment.view().data(0).first(1000)));
    ck_assert((*read)->encoded_manifest == encode_manifest((*read)->manifest));
    ck_assert(verify_data(segment.view().data(0), (*read)->manifest));
}
END_TEST

START_TEST(a_fresh_and_an_opened_slot_hold_nothing)
{
    Segment segment(1000);
    ck_assert(!read_slot(segment.view(), 0, sample_owner()).value());
    save(segment.view(), 0, 5);
    save(segment.view(), 1, 6);
    open_slot(segment.view(), 0);
    ck_assert(!read_slot(segment.view(), 0, sample_owner()).value());
    ck_assert(read_slot(segment.view(), 1, sample_owner()).value()->header.epoch == 6);
}
END_TEST

START_TEST(a_save_torn_at_any_byte_is_no_snapshot)
{
    Segment segment(1000);
    save(segment.view(), 0, 5);
    const std::vector<std::byte> sealed = segment.memory;
    open_slot(segment.view(), 0);
    std::ranges::fill(segment.view().manifest(0), std::byte(0));
    std::vector<std::size_t> places;
    append_places(places, segment.view().manifest(0), encode_manifest(sample_manifest()).size(),
                  segment.memory);
    append_places(places, segment.view().header(0), header_bytes, segment.memory);
    append_places(places, segment.view().trailer(0), trailer_bytes, segment.memory);
    expect_nothing_between(segment, sealed, places);
    ck_assert(holds_snapshot(segment.view(), 0));
}
END_TEST

START_TEST(an_opening_torn_at_any_byte_is_no_snapshot)
{
    Segment segment(1000);
    save(segment.view(), 0, 5);
    const std::vector<std::byte> sealed = segment.memory;
    open_slot(segment.view(), 0);
    const std::vector<std::byte> opened = std::exchange(segment.memory, sealed);
    std::vector<std::size_t> places;
    append_places(places, segment.view().trailer(0), trailer_bytes, segment.memory);
    append_places(places, segment.view().header(0), header_bytes, segment.memory);
    expect_nothing_between(segment, opened, places);
}
END_TEST

START_TEST(a_new_header_over_an_old_save_is_no_snapshot)
{
    Segment old(1000), young(1000);
    save(old.view(), 0, 5);
    save(young.view(), 0, 6);
    std::ranges::copy(young.view().header(0), old.view().header(0).begin());
    const auto read = read_slot(old.view(), 0, sample_owner());
    ck_assert(!read && read.error().code == Code::snapshot_damaged);
    expect_text(read.error().text, "slot 0: epoch 6 was not written to its end");
}
END_TEST

START_TEST(every_flipped_bit_of_header_trailer_and_manifest_is_refused)
{
    Segment segment(1000);
    save(segment.view(), 1, 5);
    const std::size_t manifest_bytes = encode_manifest(sample_manifest()).size();
    for (const auto part :
         {segment.view().header(1).first(header_bytes), segment.view().trailer(1).first(trailer_bytes),
          segment.view().manifest(1).first(manifest_bytes)})
        for (std::size_t bit = 0; bit < part.size() * 8; ++bit) {
            part[bit / 8] ^= std::byte(1) << (bit % 8);
            ck_assert(!read_slot(segment.view(), 1, sample_owner()));
            part[bit / 8] ^= std::byte(1) << (bit % 8);
        }
    ck_assert(holds_snapshot(segment.view(), 1));
}
END_TEST

START_TEST(a_snapshot_of_somebody_else_is_foreign)
{
    Segment segment(1000);
    save(segment.view(), 0, 5);
    const auto read_as = [&](auto change) {
        Owner owner = sample_owner();
        change(owner);
        return read_slot(segment.view(), 0, owner);
    };
    for (const auto& read : {read_as([](Owner& o) { o.job_id = 8; }), read_as([](Owner& o) { o.uid = 1001; }),
                             read_as([](Owner& o) { o.rank = 0; })})
        ck_assert(!read && read.error().code == Code::snapshot_foreign);
    ck_assert(read_as([](Owner& o) {
                  o.incarnation.restarts = 9;
                  o.ranks = 8;
              }).value());
}
END_TEST

START_TEST(what_does_not_fit_or_cannot_be_is_not_sealed)
{
    Segment segment(1000);
    const SegmentView view = segment.view();
    Manifest large = sample_manifest();
    large.data_bytes = 4097;
    ck_assert(seal_slot(view, 0, sample_header(5), large).error().code == Code::save_order);
    ck_assert(seal_slot(view, 0, sample_header(0), sample_manifest()).error().code == Code::save_order);
    const std::string encoded = encode_manifest(sample_manifest());
    SlotHeader header = sample_header(5);
    header.data_bytes = 1000;
    header.manifest_bytes = static_cast<std::uint32_t>(encoded.size() - 1);
    ck_assert(seal_slot(view, 0, header, encoded).error().code == Code::save_order);
    const std::string long_one(view.layout().manifest_bytes + 1, 'x');
    header.manifest_bytes = static_cast<std::uint32_t>(long_one.size());
    ck_assert(seal_slot(view, 0, header, long_one).error().code == Code::save_order);
    ck_assert(!holds_snapshot(view, 0));
}
END_TEST

START_TEST(a_program_cannot_make_the_reader_leave_the_slot)
{
    Segment large(8000), small(1000);
    save(large.view(), 0, 5);
    SlotHeader header = sample_header(5);
    Manifest manifest = sample_manifest();
    manifest.data_bytes = 5000;
    ck_assert(seal_slot(large.view(), 0, header, manifest));
    for (auto part : {&SegmentView::header, &SegmentView::manifest, &SegmentView::trailer})
        std::ranges::copy((large.view().*part)(0), (small.view().*part)(0).begin());
    const auto read = read_slot(small.view(), 0, sample_owner());
    ck_assert(!read && read.error().code == Code::snapshot_damaged);
    ck_assert(!verify_data(small.view().data(0), manifest));
}
END_TEST

START_TEST(a_flipped_byte_of_the_data_is_named_with_its_extents)
{
    Random random(5);
    auto data = random_bytes(random, 2 * chunk_bytes);
    Manifest manifest = manifest_of(data);
    manifest.extents[3].bytes = 2 * chunk_bytes - 400;
    ck_assert(check_manifest(manifest) && verify_data(data, manifest));
    data[130] ^= std::byte(4);
    expect_text(verify_data(data, manifest).error().text,
                "chunk 0 of 2 ('rng', 'weight', 'loader', 'scheduler') isn't what was saved");
    data[130] ^= std::byte(4);
    data[chunk_bytes] ^= std::byte(4);
    expect_text(verify_data(data, manifest).error().text, "chunk 1 of 2 ('scheduler') isn't what was saved");
}
END_TEST

Suite* slot_suite()
{
    return make_suite("slot", a_sealed_slot_reads_back, a_fresh_and_an_opened_slot_hold_nothing,
                      a_save_torn_at_any_byte_is_no_snapshot, an_opening_torn_at_any_byte_is_no_snapshot,
                      a_new_header_over_an_old_save_is_no_snapshot,
                      every_flipped_bit_of_header_trailer_and_manifest_is_refused,
                      a_snapshot_of_somebody_else_is_foreign, what_does_not_fit_or_cannot_be_is_not_sealed,
                      a_program_cannot_make_the_reader_leave_the_slot,
                      a_flipped_byte_of_the_data_is_named_with_its_extents);
}
