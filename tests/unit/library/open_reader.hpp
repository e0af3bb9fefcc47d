#pragma once

#include <algorithm>

#include "mscale/io.h"
#include "tests/unit/library/scratch_file.hpp"

/// A reader of a ScratchFile, closed at the end.
class OpenReader {
public:
    OpenReader(const std::string& path, unsigned depth, unsigned block, std::uint64_t flags = 0)
    {
        const mscale_io_options options = {sizeof options, nullptr, depth, block, flags};
        const mscale_status opened = mscale_io_open(path.c_str(), &options, &reader_);
        ck_assert_msg(opened == MSCALE_OK, "%d: %s", opened, mscale_last_error());
    }
    ~OpenReader() { mscale_io_close(reader_); }
    OpenReader(const OpenReader&) = delete;
    OpenReader& operator=(const OpenReader&) = delete;
    mscale_io* get() const { return reader_; }

    /// The next piece, with the bytes of its place.
    mscale_io_piece expect_piece() const
    {
        mscale_io_piece piece;
        const mscale_status status = mscale_io_next(reader_, &piece);
        ck_assert_msg(status == MSCALE_OK, "%d: %s", status, mscale_last_error());
        const char* const data = static_cast<const char*>(piece.data);
        for (std::size_t i = 0; i < piece.bytes; ++i)
            ck_assert_msg(data[i] == ScratchFile::byte_at(piece.offset + i), "byte %zu of the piece at %zu", i,
                          static_cast<std::size_t>(piece.offset));
        return piece;
    }
    void expect_end() const
    {
        mscale_io_piece piece;
        for (int i = 0; i < 2; ++i) ck_assert_int_eq(mscale_io_next(reader_, &piece), MSCALE_END);
    }
    /// All of the file, piece after piece.
    void expect_whole(std::size_t size) const
    {
        for (std::uint64_t at = 0, index = 0; at < size; ++index) {
            const mscale_io_piece piece = expect_piece();
            ck_assert(piece.offset == at && piece.index == index && piece.bytes > 0);
            at += piece.bytes;
            ck_assert(at <= size);
        }
        expect_end();
    }

private:
    mscale_io* reader_ = nullptr;
};
