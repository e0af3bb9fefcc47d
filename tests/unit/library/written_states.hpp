#pragma once

// What the tests of the elastic restore share: a snapshot of several ranks in memory, as a keeper would read it out.
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "library/parts.hpp"
#include "recovery/checksum.hpp"
#include "tests/unit/check.hpp"

namespace mscale::library {

inline constexpr recovery::Owner writer{7, 1000, 0, 0, {0, 3}};

/// A rank's part of it, made extent by extent.
class WrittenState {
public:
    void add(recovery::Extent extent, std::span<const std::byte> bytes)
    {
        extent.at = (data.size() + 63) / 64 * 64;
        extent.bytes = bytes.size();
        data.resize(extent.at);
        data.insert(data.end(), bytes.begin(), bytes.end());
        manifest.extents.push_back(std::move(extent));
    }
    void add(const std::string& name, recovery::ExtentKind kind, const std::string& text)
    {
        add({.name = name, .kind = kind}, std::as_bytes(std::span(text.data(), text.size())));
    }

    std::vector<std::byte> data;
    recovery::Manifest manifest;
};

/// All ranks' parts, sealed: header page, manifest and data of each, which a test may damage.
class WrittenStates {
public:
    explicit WrittenStates(std::vector<WrittenState> states, std::uint64_t epoch = 5)
    {
        const auto ranks = static_cast<std::uint32_t>(states.size());
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            WrittenState& state = states[rank];
            state.manifest.data_bytes = state.data.size();
            state.manifest.chunks = recovery::crc32c_chunks(state.data);
            recovery::SealedSlot sealed{{}, state.manifest, recovery::encode_manifest(state.manifest)};
            sealed.header.owner = {writer.job_id, writer.uid, rank, ranks, writer.incarnation};
            sealed.header.epoch = epoch;
            sealed.header.step = epoch * 10;
            sealed.header.manifest_bytes = static_cast<std::uint32_t>(sealed.encoded_manifest.size());
            sealed.header.data_bytes = state.data.size();
            set_header(rank, sealed);
            texts[{rank, WrittenPiece::Kind::manifest}] = sealed.encoded_manifest;
            texts[{rank, WrittenPiece::Kind::data}] =
                std::string(reinterpret_cast<const char*>(state.data.data()), state.data.size());
            sealed_.push_back(std::move(sealed));
        }
    }

    void set_header(std::uint32_t rank, const recovery::SealedSlot& sealed)
    {
        std::string page = recovery::encode_frame(sealed).header;
        page.resize(recovery::SegmentLayout::page);
        texts[{rank, WrittenPiece::Kind::header}] = page;
    }
    const recovery::SealedSlot& sealed(std::uint32_t rank) const { return sealed_[rank]; }

    ReadWritten reader()
    {
        return [this](const WrittenPiece& piece) -> Result<std::span<const std::byte>> {
            ++reads;
            most = std::max(most, piece.bytes);
            const std::string& text = texts.at({piece.rank, piece.kind});
            if (piece.at > text.size() || piece.bytes > text.size() - piece.at)
                return failure(Code::snapshot_damaged, "no such piece");
            return std::as_bytes(std::span(text.data() + piece.at, piece.bytes));
        };
    }
    Result<Written> open(std::uint64_t window = 1 << 20)
    {
        Written::Which which{writer, 5, 50, window};
        which.owner.ranks = static_cast<std::uint32_t>(sealed_.size());
        return Written::open(which, reader());
    }
    Parts parts(Rank as, std::uint64_t window = 1 << 20)
    {
        auto written = open(window);
        ck_assert_msg(written.has_value(), "%s", written ? "" : to_line(written.error()).c_str());
        return Parts(std::move(*written), as);
    }

    std::map<std::pair<std::uint32_t, WrittenPiece::Kind>, std::string> texts;
    std::uint64_t reads = 0, most = 0; ///< how often something was read, and how much at once

private:
    std::vector<recovery::SealedSlot> sealed_;
};

} // namespace mscale::library
