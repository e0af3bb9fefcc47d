// The kernel's list grammar of CPU sets: its reader and its writer.
#include "base/cpu_set.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace mscale {
namespace {

/// Reads one list from left to right.
class ListReader {
public:
    explicit ListReader(std::string_view text) : text_(text) {}

    Result<CpuSet> read()
    {
        std::vector<unsigned> cpus;
        do {
            const auto added = read_range(cpus);
            if (!added) return tl::unexpected(added.error());
        } while (take(','));
        if (at_ < text_.size()) return fault("a number, ',', '-', ':' or '/' is expected");
        return CpuSet(std::move(cpus));
    }

private:
    tl::unexpected<Error> fault(std::string_view what) const
    {
        const bool is_mask = text_.starts_with("0x") || text_.starts_with("0X");
        return failure(Code::bad_cpu_list,
                       format("CPU list '{}', byte {}: {}", printable(text_), at_ + 1, what),
                       is_mask ? "this is a mask: write the CPUs as a list, as in 0-3,8" : "");
    }

    bool take(char c)
    {
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }

    Result<unsigned> read_number(std::string_view what)
    {
        const std::size_t end = std::min(text_.find_first_not_of("0123456789", at_), text_.size());
        const auto number = parse_number(text_.substr(at_, end - at_));
        if (end == at_) return fault(format("{} is missing", what));
        if (!number || *number >= CpuSet::limit)
            return fault(format("{} must be below {}", what, CpuSet::limit));
        at_ = end;
        return static_cast<unsigned>(*number);
    }

    /// N | N-M | N-M:STRIDE | N-M:USED/GROUP
    Result<void> read_range(std::vector<unsigned>& cpus)
    {
        const std::size_t begin = at_;
        const auto first = read_number("a CPU number");
        if (!first) return tl::unexpected(first.error());
        if (!take('-')) {
            cpus.push_back(*first);
            return {};
        }
        const auto last = read_number("the end of the range");
        if (!last) return tl::unexpected(last.error());
        if (*last < *first) {
            at_ = begin;
            return fault(format("the range {}-{} is reversed", *first, *last));
        }
        return read_pattern(*first, *last, cpus);
    }

    Result<void> read_pattern(unsigned first, unsigned last, std::vector<unsigned>& cpus)
    {
        unsigned used = 1, group = 1;
        if (take(':')) {
            const std::size_t begin = at_;
            const auto left = read_number("the number after ':'");
            if (!left) return tl::unexpected(left.error());
            const bool has_group = take('/');
            const auto right = has_group ? read_number("the group size after '/'") : Result<unsigned>(*left);
            if (!right) return tl::unexpected(right.error());
            used = has_group ? *left : 1;
            group = *right;
            if (used == 0 || group == 0 || used > group) {
                at_ = begin;
                return fault("a group has at least one CPU and uses at most all of them");
            }
        }
        for (unsigned cpu = first; cpu <= last; ++cpu)
            if ((cpu - first) % group < used) cpus.push_back(cpu);
        return {};
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

} // namespace

Result<CpuSet> parse_cpu_list(std::string_view text, bool allow_empty)
{
    text = trim(text);
    if (!text.empty()) return ListReader(text).read();
    if (allow_empty) return CpuSet();
    return failure(Code::bad_cpu_list, "the CPU list is empty");
}

std::string to_string(const CpuSet& set)
{
    std::string text;
    const auto& cpus = set.cpus();
    for (std::size_t begin = 0; begin < cpus.size();) {
        std::size_t end = begin;
        while (end + 1 < cpus.size() && cpus[end + 1] == cpus[end] + 1) ++end;
        if (!text.empty()) text += ',';
        text += end == begin ? format("{}", cpus[begin]) : format("{}-{}", cpus[begin], cpus[end]);
        begin = end + 1;
    }
    return text;
}

} // namespace mscale
