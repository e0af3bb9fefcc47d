#include "library/departure.hpp"

namespace mscale::library {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds for_the_others = 300ms, for_an_answer = 3s, without_an_answer = 5s;
constexpr std::uint64_t greatest_stride = 1 << 20;

} // namespace

void Departure::begin()
{
    if (stage_ == Stage::before) stage_ = Stage::open;
}

bool Departure::holds(std::uint64_t step, Clock::time_point now) const
{
    if (stage_ != Stage::open || now < free_until_) return false;
    return !allowed_ || step >= *allowed_;
}

std::optional<std::uint64_t> Departure::announce(std::uint64_t step, Clock::time_point now)
{
    const bool is_new = !announced_ || *announced_ < step;
    const auto waited = now - announced_at_;
    if (is_new) {
        announced_ = step;
    } else if (*announced_ > step && waited >= for_an_answer) {
        announced_.reset();
        free_until_ = now + without_an_answer;
        return std::nullopt;
    } else if (*announced_ == step && waited >= for_the_others) {
        announced_ = step + stride_;
        if (stride_ < greatest_stride) stride_ *= 2;
    } else {
        return std::nullopt;
    }
    announced_at_ = now;
    return announced_;
}

void Departure::announce_again()
{
    announced_.reset();
    free_until_ = {};
}

void Departure::allow(std::uint64_t step)
{
    if (!allowed_ || step > *allowed_) allowed_ = step;
}

} // namespace mscale::library
