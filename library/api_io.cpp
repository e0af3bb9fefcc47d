// The map of mscale/io.h onto Reader.  No exception leaves.
#include "mscale/io.h"

#include "library/boundary.hpp"
#include "library/io/role_reader.hpp"

using namespace mscale;
using namespace mscale::library;

/// A reader, and the text that mscale_io_describe has given.
struct mscale_io {
    std::unique_ptr<Reader> reader;
    std::string description;
};

namespace {

mscale_status answer_call(std::string text)
{
    return answer(failure(Code::reader_call, std::move(text)).value(), MSCALE_INVALID);
}

Result<ReaderWishes> read_wishes(const mscale_io_options& options)
{
    if (options.size < sizeof options)
        return failure(Code::reader_call, "mscale_io_options has no size", "begin with MSCALE_IO_OPTIONS_INIT");
    if ((options.flags & ~std::uint64_t{MSCALE_IO_BUFFERED | MSCALE_IO_ANY_ORDER}) != 0)
        return failure(Code::reader_call, "mscale_io_options has flags that this library doesn't know");
    return ReaderWishes{options.role ? options.role : "", options.depth, options.block,
                        (options.flags & MSCALE_IO_BUFFERED) == 0, (options.flags & MSCALE_IO_ANY_ORDER) == 0};
}

Result<std::unique_ptr<Reader>> open_reader(const char* path, const mscale_io_options* options)
{
    const mscale_io_options defaults = MSCALE_IO_OPTIONS_INIT;
    const auto wishes = read_wishes(options ? *options : defaults);
    if (!wishes) return tl::unexpected(wishes.error());
    return open_for_role(path, *wishes);
}

} // namespace

mscale_status mscale_io_open(const char* path, const mscale_io_options* options, mscale_io** reader)
{
    if (reader) *reader = nullptr;
    return guard([&] {
        if (!path || !reader) return answer_call("mscale_io_open has no path, or no place for the reader");
        auto opened = open_reader(path, options);
        if (!opened) return answer(opened.error(), to_status(opened.error()));
        *reader = new mscale_io{std::move(*opened), {}};
        return MSCALE_OK;
    });
}

mscale_status mscale_io_start(mscale_io* reader, const mscale_io_extent* extents, size_t count)
{
    return guard([&] {
        if (!reader || (!extents && count > 0)) return answer_call("mscale_io_start has no reader, or no list");
        if (!extents) return answer(reader->reader->start_whole());
        std::vector<FileExtent> list;
        list.reserve(count);
        for (std::size_t i = 0; i < count; ++i) list.push_back({extents[i].offset, extents[i].length});
        return answer(reader->reader->start(std::move(list)));
    });
}

mscale_status mscale_io_next(mscale_io* reader, mscale_io_piece* piece)
{
    return guard([&] {
        if (!reader || !piece) return answer_call("mscale_io_next has no reader, or no place for the piece");
        const auto next = reader->reader->next();
        if (!next) return answer(next.error(), to_status(next.error()));
        if (!*next) return MSCALE_END;
        *piece = {(*next)->bytes.data(), (*next)->bytes.size(), (*next)->extent.offset, (*next)->index};
        return MSCALE_OK;
    });
}

uint64_t mscale_io_size(const mscale_io* reader)
{
    return reader ? reader->reader->size() : 0;
}

const char* mscale_io_describe(mscale_io* reader)
{
    const mscale_status told = guard([&] {
        if (!reader) return answer_call("mscale_io_describe has no reader");
        reader->description = reader->reader->describe();
        return MSCALE_OK;
    });
    return told == MSCALE_OK ? reader->description.c_str() : "";
}

void mscale_io_close(mscale_io* reader)
{
    delete reader;
}
