#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mscale::recovery {

/// What an extent holds: it decides whether other ranks may take parts of it.
enum class ExtentKind : std::uint8_t {
    opaque, ///< bytes that only the same rank of as many ranks can take back
    tensor, ///< a part of a tensor: may be cut and joined along its axes
    cursor, ///< where a rank stands among the samples: split and joined by its own rule
    shared, ///< equal on every rank: any rank's will do
};

/// The element type of a tensor; the numbers are part of the format.
enum class DataType : std::uint8_t {
    bytes,
    f16,
    bf16,
    f32,
    f64,
    i8,
    u8,
    i16,
    i32,
    i64,
    boolean,
    complex64,
    complex128
};

/// Bytes of one element.
unsigned size_of(DataType type);

/// A named part of one rank's state.  For a tensor `shape` at `offset` is this rank's part of a tensor of
/// `global` shape (all three of the same rank, row-major); the other kinds have no shape.
struct Extent {
    std::string name;
    ExtentKind kind = ExtentKind::opaque;
    DataType type = DataType::bytes;
    std::vector<std::uint64_t> global = {}, offset = {}, shape = {};
    std::uint64_t at = 0;    ///< where it begins in the slot's data
    std::uint64_t bytes = 0; ///< how long it is
    bool operator==(const Extent&) const = default;
};

} // namespace mscale::recovery
