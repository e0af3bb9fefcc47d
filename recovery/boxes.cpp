#include "recovery/boxes.hpp"

#include <algorithm>

namespace mscale::recovery {
namespace {

/// How many elements lie between neighbours along each axis.
std::vector<std::uint64_t> strides_of(const std::vector<std::uint64_t>& shape)
{
    std::vector<std::uint64_t> strides(shape.size());
    std::uint64_t stride = 1;
    for (std::size_t axis = shape.size(); axis-- > 0; stride *= shape[axis]) strides[axis] = stride;
    return strides;
}

/// The common part of two extents and how each walks through it.
struct Walk {
    Box common;
    std::vector<std::uint64_t> extent;   ///< of the common part along each axis
    std::vector<std::uint64_t> from, to; ///< strides, in elements
    std::size_t inner = 0;               ///< from this axis on the elements follow each other in both
    std::uint64_t run = 1;               ///< as many of them
};

void find_run(Walk& walk, const Extent& source, const Extent& wanted)
{
    walk.inner = walk.extent.size();
    while (walk.inner > 0) {
        walk.run *= walk.extent[--walk.inner];
        const std::uint64_t whole = walk.extent[walk.inner];
        if (whole != source.shape[walk.inner] || whole != wanted.shape[walk.inner]) break;
    }
}

Walk start_walk(Box common, const Extent& source, const Extent& wanted)
{
    Walk walk;
    for (std::size_t axis = 0; axis < common.low.size(); ++axis)
        walk.extent.push_back(common.high[axis] - common.low[axis]);
    walk.common = std::move(common);
    walk.from = strides_of(source.shape);
    walk.to = strides_of(wanted.shape);
    find_run(walk, source, wanted);
    return walk;
}

/// The first run and, along the axis outside of it, those after it.
ReadPiece first_piece(const Walk& walk, const Extent& source, const Extent& wanted)
{
    const std::uint64_t size = size_of(source.type);
    ReadPiece piece{.from = source.at, .bytes = walk.run * size};
    for (std::size_t axis = 0; axis < walk.extent.size(); ++axis) {
        piece.from += (walk.common.low[axis] - source.offset[axis]) * walk.from[axis] * size;
        piece.to += (walk.common.low[axis] - wanted.offset[axis]) * walk.to[axis] * size;
    }
    if (walk.inner == 0) return piece;
    piece.count = walk.extent[walk.inner - 1];
    piece.from_stride = walk.from[walk.inner - 1] * size;
    piece.to_stride = walk.to[walk.inner - 1] * size;
    return piece;
}

/// Moves on along the axes outside of a piece; false after the last.
bool step_on(std::vector<std::uint64_t>& at, const Walk& walk)
{
    for (std::size_t axis = at.size(); axis-- > 0;) {
        if (++at[axis] < walk.extent[axis]) return true;
        at[axis] = 0;
    }
    return false;
}

} // namespace

Box box_of(const Extent& extent)
{
    Box box{extent.offset, extent.offset};
    for (std::size_t axis = 0; axis < extent.shape.size(); ++axis) box.high[axis] += extent.shape[axis];
    return box;
}

std::uint64_t volume_of(const Box& box)
{
    std::uint64_t volume = 1;
    for (std::size_t axis = 0; axis < box.low.size(); ++axis) volume *= box.high[axis] - box.low[axis];
    return volume;
}

std::optional<Box> intersect(const Box& a, const Box& b)
{
    Box common = a;
    for (std::size_t axis = 0; axis < a.low.size(); ++axis) {
        common.low[axis] = std::max(a.low[axis], b.low[axis]);
        common.high[axis] = std::min(a.high[axis], b.high[axis]);
        if (common.low[axis] >= common.high[axis]) return std::nullopt;
    }
    return common;
}

bool append_runs(std::vector<ReadPiece>& pieces, std::uint32_t rank, const Extent& source,
                 const Extent& wanted)
{
    auto common = intersect(box_of(source), box_of(wanted));
    if (!common) return true;
    const Walk walk = start_walk(std::move(*common), source, wanted);
    const ReadPiece first = first_piece(walk, source, wanted);
    const std::uint64_t size = size_of(source.type);
    std::vector<std::uint64_t> at(walk.inner > 0 ? walk.inner - 1 : 0);
    do {
        if (pieces.size() >= most_pieces) return false;
        ReadPiece piece = first;
        piece.rank = rank;
        for (std::size_t axis = 0; axis < at.size(); ++axis) {
            piece.from += at[axis] * walk.from[axis] * size;
            piece.to += at[axis] * walk.to[axis] * size;
        }
        pieces.push_back(piece);
    } while (step_on(at, walk));
    return true;
}

} // namespace mscale::recovery
