#include "recovery/redundancy.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <isa-l/erasure_code.h>
#include <isa-l/raid.h>

#include "base/text.hpp"

namespace mscale::recovery {
namespace {

constexpr std::size_t coding_bytes = 16 << 10; // the pieces of a group of usual size stay in the cache
constexpr std::size_t alignment = 32;         // of ISA-L's XOR

using Row = std::vector<unsigned char>;
using Matrix = std::vector<Row>; // a row for each part: what it takes of each of the sources

struct alignas(alignment) Piece {
    std::array<unsigned char, coding_bytes> bytes;
};

/// The rows of all parts by the shards: a shard is itself, and one parity alone the XOR of all.
Matrix make_generator(std::size_t shards, std::size_t parity)
{
    std::vector<unsigned char> flat((shards + parity) * shards);
    gf_gen_cauchy1_matrix(flat.data(), static_cast<int>(shards + parity), static_cast<int>(shards));
    Matrix rows;
    for (std::size_t row = 0; row < shards + parity; ++row)
        rows.emplace_back(flat.begin() + static_cast<std::ptrdiff_t>(row * shards),
                          flat.begin() + static_cast<std::ptrdiff_t>((row + 1) * shards));
    if (parity == 1) rows.back().assign(shards, 1);
    return rows;
}

std::vector<unsigned char> flatten(const Matrix& rows)
{
    std::vector<unsigned char> flat;
    for (const Row& row : rows) flat.insert(flat.end(), row.begin(), row.end());
    return flat;
}

/// Sums sources by rows of factors, a piece at a time.
class Combiner {
public:
    Combiner(std::span<const BytesView> sources, const Matrix& rows)
        : sources_(sources), rows_(rows.size()), in_(sources.size()), out_(rows.size()),
          tables_(32 * sources.size() * rows.size())
    {
        is_xor_ = rows_ == 1 && sources.size() >= 2 && rows[0] == Row(sources.size(), 1);
        std::vector<unsigned char> flat = flatten(rows);
        ec_init_tables(static_cast<int>(sources.size()), static_cast<int>(rows_), flat.data(),
                       tables_.data());
    }

    std::vector<Bytes> combine(std::size_t bytes)
    {
        std::vector<Bytes> sums(rows_, Bytes(bytes));
        for (std::size_t at = 0; at < bytes; at += coding_bytes) {
            sum_piece(at);
            const std::size_t length = std::min(coding_bytes, bytes - at);
            for (std::size_t row = 0; row < rows_; ++row)
                std::memcpy(sums[row].data() + at, out_[row].bytes.data(), length);
        }
        return sums;
    }

private:
    /// The source's bytes from `at` on, followed by zeros; where they lie if that does, else a copy.
    unsigned char* take_piece(std::size_t source, std::size_t at)
    {
        const BytesView bytes = sources_[source];
        const std::size_t length = at < bytes.size() ? std::min(coding_bytes, bytes.size() - at) : 0;
        // ISA-L declares what it only reads without const.
        auto* place =
            reinterpret_cast<unsigned char*>(const_cast<std::byte*>(bytes.data())) + (length ? at : 0);
        if (length == coding_bytes && reinterpret_cast<std::uintptr_t>(place) % alignment == 0) return place;
        auto& copy = in_[source].bytes;
        if (length > 0) std::memcpy(copy.data(), place, length);
        std::fill(copy.begin() + static_cast<std::ptrdiff_t>(length), copy.end(),
                  static_cast<unsigned char>(0));
        return copy.data();
    }

    void sum_piece(std::size_t at)
    {
        std::vector<unsigned char*> from, to;
        for (std::size_t source = 0; source < sources_.size(); ++source)
            from.push_back(take_piece(source, at));
        for (Piece& piece : out_) to.push_back(piece.bytes.data());
        if (!is_xor_)
            return ec_encode_data(coding_bytes, static_cast<int>(from.size()), static_cast<int>(rows_),
                                  tables_.data(), from.data(), to.data());
        std::vector<void*> all(from.begin(), from.end());
        all.push_back(to[0]);
        xor_gen(static_cast<int>(all.size()), coding_bytes, all.data());
    }

    std::span<const BytesView> sources_;
    std::size_t rows_;
    std::vector<Piece> in_, out_;
    std::vector<unsigned char> tables_;
    bool is_xor_ = false;
};

/// What is there of a group: as many parts as it has shards.
struct Survivors {
    std::vector<BytesView> bytes;
    Matrix rows; ///< of the generator
};

Survivors choose_survivors(std::span<const std::optional<BytesView>> parts, const Matrix& generator,
                           std::size_t shards)
{
    Survivors survivors;
    for (std::size_t part = 0; part < parts.size() && survivors.bytes.size() < shards; ++part)
        if (parts[part]) {
            survivors.bytes.push_back(*parts[part]);
            survivors.rows.push_back(generator[part]);
        }
    return survivors;
}

/// `row` of the generator, by the survivors instead of the shards.
Row multiply(const Row& row, const std::vector<unsigned char>& inverse)
{
    Row product(row.size());
    for (std::size_t column = 0; column < row.size(); ++column)
        for (std::size_t i = 0; i < row.size(); ++i)
            product[column] ^= gf_mul(row[i], inverse[i * row.size() + column]);
    return product;
}

tl::unexpected<Error> lost(std::size_t missing, std::size_t parts, std::size_t parity)
{
    return failure(Code::parts_lost,
                   format("{} of {} parts are lost, {} can be rebuilt", missing, parts, parity));
}

Result<void> check_lengths(std::span<const std::optional<BytesView>> parts,
                           std::span<const std::uint64_t> shard_bytes, std::uint64_t longest)
{
    for (std::size_t part = 0; part < parts.size(); ++part) {
        const std::uint64_t wanted = part < shard_bytes.size() ? shard_bytes[part] : longest;
        if (parts[part] && parts[part]->size() != wanted)
            return failure(Code::snapshot_damaged,
                           format("part {} has {} bytes, not {}", part, parts[part]->size(), wanted));
    }
    return {};
}

Result<void> check_numbers(std::size_t shards, std::size_t parity)
{
    if (shards > 0 && parity > 0 && shards <= most_parts && parity <= most_parts - shards) return {};
    return failure(Code::save_order, format("a group of {} shards and {} parity", shards, parity));
}

} // namespace

Result<std::vector<Bytes>> encode_parity(std::span<const BytesView> shards, unsigned parity)
{
    if (auto checked = check_numbers(shards.size(), parity); !checked)
        return tl::unexpected(std::move(checked.error()));
    Matrix rows = make_generator(shards.size(), parity);
    rows.erase(rows.begin(), rows.end() - parity);
    return Combiner(shards, rows).combine(std::ranges::max(shards, {}, &BytesView::size).size());
}

Result<Bytes> encode_one_parity(std::span<const BytesView> shards, unsigned parity, unsigned which)
{
    if (auto checked = check_numbers(shards.size(), parity); !checked)
        return tl::unexpected(std::move(checked.error()));
    if (which >= parity) return failure(Code::save_order, format("parity {} of {}", which, parity));
    const Matrix row = {make_generator(shards.size(), parity)[shards.size() + which]};
    return std::move(Combiner(shards, row).combine(std::ranges::max(shards, {}, &BytesView::size).size()).front());
}

Result<std::map<unsigned, Bytes>> rebuild_parts(std::span<const std::optional<BytesView>> parts,
                                                std::span<const std::uint64_t> shard_bytes)
{
    const std::size_t shards = shard_bytes.size(), parity = parts.size() - std::min(parts.size(), shards);
    if (auto checked = check_numbers(shards, parity); !checked)
        return tl::unexpected(std::move(checked.error()));
    const std::uint64_t longest = std::ranges::max(shard_bytes);
    if (auto checked = check_lengths(parts, shard_bytes, longest); !checked)
        return tl::unexpected(std::move(checked.error()));
    const Matrix generator = make_generator(shards, parity);
    const Survivors survivors = choose_survivors(parts, generator, shards);
    std::map<unsigned, Bytes> rebuilt;
    for (unsigned part = 0; part < parts.size(); ++part)
        if (!parts[part]) rebuilt[part] = {};
    if (rebuilt.empty()) return rebuilt;
    std::vector<unsigned char> matrix = flatten(survivors.rows), inverse(shards * shards);
    if (survivors.bytes.size() < shards ||
        gf_invert_matrix(matrix.data(), inverse.data(), static_cast<int>(shards)) != 0)
        return lost(rebuilt.size(), parts.size(), parity);
    Matrix rows;
    for (const auto& [part, bytes] : rebuilt) rows.push_back(multiply(generator[part], inverse));
    std::vector<Bytes> sums = Combiner(survivors.bytes, rows).combine(longest);
    for (auto sum = sums.begin(); auto& [part, bytes] : rebuilt) {
        bytes = std::move(*sum++);
        if (part < shards) bytes.resize(shard_bytes[part]);
    }
    return rebuilt;
}

} // namespace mscale::recovery
