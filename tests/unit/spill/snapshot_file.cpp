#include "daemon/spill/snapshot_file.hpp"

#include <algorithm>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/keeper/snapshots.hpp"
#include "tests/unit/spill/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;

namespace {

constexpr std::uint64_t state = 9 << 20; // two chunks and a part of one

recovery::Owner owner_of()
{
    return {7, geteuid(), 2, 4, {0, 3}};
}
recovery::SpillFile file_of(std::uint64_t epoch)
{
    return {{7, {0, 3}, 4, epoch, epoch * 10}, 2};
}

/// A job's directory, and a segment whose slot 0 holds epoch 5.
struct Ground {
    Scratch scratch;
    SpillDirectory directory = SpillDirectory::make(scratch.path, 7).value();
    SegmentMemory from = make_segment(state), to = make_segment(state);
    Pace pace{UINT64_MAX};

    Ground() { save_pattern(from.view(), 0, 5, state - 100, owner_of()); }
    std::string path(std::uint64_t epoch) const { return directory.path() + "/" + name_snapshot(file_of(epoch)); }
    Result<void> write(std::uint64_t epoch = 5)
    {
        return write_snapshot_file(directory, file_of(epoch), from.view(), 0, "n1", pace);
    }
    Result<void> read(std::uint64_t epoch = 5)
    {
        return read_snapshot_file(directory, file_of(epoch), to.view(), 1);
    }
    /// What a keeper makes of the slot that was read.
    Result<void> verify()
    {
        const auto sealed = recovery::read_slot(to.view(), 1, owner_of());
        if (!sealed) return tl::unexpected(sealed.error());
        if (!*sealed) return failure(Code::no_snapshot, "none");
        return recovery::verify_data(to.view().data(1), (*sealed)->manifest);
    }
    void flip(off_t at)
    {
        const Fd file(open(path(5).c_str(), O_RDWR));
        char byte = 0;
        ck_assert_int_eq(pread(file.number(), &byte, 1, at), 1);
        byte = static_cast<char>(byte ^ 1);
        ck_assert_int_eq(pwrite(file.number(), &byte, 1, at), 1);
    }
};

void expect_done(const Result<void>& done)
{
    ck_assert_msg(done.has_value(), "%s", done ? "" : done.error().text.c_str());
}

} // namespace

START_TEST(a_file_gives_the_slot_back_byte_by_byte)
{
    Ground ground;
    expect_done(ground.write());
    ck_assert_uint_eq(ground.directory.list()->size(), 3); // ".", "..", nothing unfinished
    expect_done(ground.read());
    expect_done(ground.verify());
    ck_assert(std::ranges::equal(ground.from.view().data(0), ground.to.view().data(1)));
    ck_assert(recovery::read_slot(ground.from.view(), 0, owner_of()).value()->header ==
              recovery::read_slot(ground.to.view(), 1, owner_of()).value()->header);
}
END_TEST

START_TEST(a_flipped_byte_anywhere_is_found_before_the_slot_is_used)
{
    Ground ground;
    expect_done(ground.write());
    struct stat found = {};
    ck_assert_int_eq(stat(ground.path(5).c_str(), &found), 0);
    const off_t manifest = 4096, data = 8192, last = data + state - 101, trailer = found.st_size - 4096;
    for (const off_t at : {off_t{0}, off_t{20}, manifest, manifest + 30, data, data + 5000000, last, trailer, trailer + 9}) {
        ground.flip(at);
        const bool held = ground.read().has_value() && ground.verify().has_value();
        ck_assert_msg(!held, "byte %ld was flipped and nobody saw it", static_cast<long>(at));
        ground.flip(at);
    }
    expect_done(ground.read());
    expect_done(ground.verify());
}
END_TEST

START_TEST(a_file_cut_anywhere_is_damaged)
{
    for (const off_t size : {0, 100, 4096, 8192, 5 << 20}) {
        Ground ground;
        expect_done(ground.write());
        ck_assert_int_eq(truncate(ground.path(5).c_str(), size), 0);
        const auto read = ground.read();
        ck_assert_msg(!read && read.error().code == Code::snapshot_damaged, "cut at %ld", static_cast<long>(size));
    }
}
END_TEST

START_TEST(a_slot_that_holds_another_epoch_leaves_no_file)
{
    Ground ground;
    const auto written = ground.write(6);
    ck_assert(!written && written.error().code == Code::snapshot_damaged);
    ck_assert_uint_eq(ground.directory.list()->size(), 2);
}
END_TEST

START_TEST(data_that_change_while_they_are_written_leave_no_file)
{
    Ground ground;
    ground.from.view().data(0)[5 << 20] ^= std::byte{1}; // the program has begun its next save
    const auto written = ground.write();
    ck_assert(!written);
    expect_part(written.error().text, "was overwritten before");
    ck_assert_uint_eq(ground.directory.list()->size(), 2);
}
END_TEST

START_TEST(a_file_that_is_there_stays_as_it_is)
{
    Ground ground;
    expect_done(ground.write());
    struct stat before = {}, after = {};
    ck_assert_int_eq(stat(ground.path(5).c_str(), &before), 0);
    expect_done(ground.write());
    ck_assert_int_eq(stat(ground.path(5).c_str(), &after), 0);
    ck_assert_uint_eq(before.st_ino, after.st_ino);
}
END_TEST

START_TEST(a_file_too_large_for_the_memory_is_refused)
{
    Ground ground;
    expect_done(ground.write());
    ground.to = make_segment(1 << 20);
    const auto read = ground.read();
    ck_assert(!read && read.error().code == Code::snapshot_room);
}
END_TEST

START_TEST(settling_the_third_epoch_removes_the_first)
{
    Ground ground;
    for (std::uint64_t epoch = 5; epoch <= 7; ++epoch) {
        save_pattern(ground.from.view(), 0, epoch, 1000, owner_of());
        expect_done(ground.write(epoch));
        expect_done(settle_epoch(ground.directory, file_of(epoch).record, "n1"));
    }
    ck_assert(!ground.directory.has(name_snapshot(file_of(5))));
    ck_assert(!ground.directory.has(name_manifest(file_of(5).record)));
    ck_assert(ground.directory.has(name_snapshot(file_of(6))) && ground.directory.has(name_snapshot(file_of(7))));
    ck_assert_uint_eq(ground.directory.list()->size(), 6);
}
END_TEST

START_TEST(each_piece_of_a_file_is_what_lies_there_in_the_slot)
{
    using recovery::PieceKind;
    Ground ground;
    expect_done(ground.write());
    const auto sealed = recovery::read_slot(ground.from.view(), 0, owner_of()).value();
    std::string manifest(sealed->encoded_manifest.size(), '\0'), header(4096, '\0');
    const auto read = [&](const SpillRequest::Piece& piece, std::span<std::byte> place) {
        return read_snapshot_piece(ground.directory, file_of(5), piece, place);
    };
    expect_done(read({PieceKind::manifest, 0, manifest.size()}, std::as_writable_bytes(std::span(manifest))));
    ck_assert(manifest == sealed->encoded_manifest);
    expect_done(read({PieceKind::header, 0, header.size()}, std::as_writable_bytes(std::span(header))));
    ck_assert(recovery::decode_slot_header(header).value() == sealed->header);
    const std::uint64_t at = (5 << 20) + 3, bytes = state - 100 - at;
    std::vector<std::byte> data(bytes);
    expect_done(read({PieceKind::data, at, bytes}, data));
    ck_assert(std::ranges::equal(data, ground.from.view().data(0).subspan(at, bytes)));
    ck_assert(read({PieceKind::data, at + 1, bytes}, data).error().code == Code::snapshot_damaged);
    ck_assert(read({PieceKind::data, UINT64_MAX, bytes}, data).error().code == Code::snapshot_damaged);
}
END_TEST

START_TEST(the_rate_is_kept)
{
    Ground ground;
    ground.pace = Pace(18 << 20);
    const auto began = std::chrono::steady_clock::now();
    expect_done(ground.write());
    const auto took = std::chrono::steady_clock::now() - began;
    ck_assert(took >= std::chrono::milliseconds(400)); // 9 MiB at 18 MiB a second
}
END_TEST

Suite* snapshot_file_suite()
{
    return make_suite("snapshot file", a_file_gives_the_slot_back_byte_by_byte,
                      a_flipped_byte_anywhere_is_found_before_the_slot_is_used, a_file_cut_anywhere_is_damaged,
                      a_slot_that_holds_another_epoch_leaves_no_file, data_that_change_while_they_are_written_leave_no_file,
                      a_file_that_is_there_stays_as_it_is, a_file_too_large_for_the_memory_is_refused,
                      settling_the_third_epoch_removes_the_first, each_piece_of_a_file_is_what_lies_there_in_the_slot,
                      the_rate_is_kept);
}
