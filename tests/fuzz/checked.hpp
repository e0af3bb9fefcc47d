#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "recovery/bytes.hpp"
#include "recovery/checksum.hpp"

/// The bytes with a checksum that fits them, without which no input would get far.
inline std::string with_checksum(std::string_view bytes)
{
    mscale::recovery::ByteWriter sum;
    sum.put(mscale::recovery::crc32c(std::as_bytes(std::span(bytes.data(), bytes.size()))));
    return std::string(bytes) + sum.bytes();
}
