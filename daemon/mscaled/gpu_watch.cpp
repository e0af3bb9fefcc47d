#include "daemon/mscaled/gpu_watch.hpp"

#include "base/log.hpp"

namespace mscale::daemon {

namespace {

constexpr std::chrono::milliseconds between_bus_checks{1000};
constexpr std::chrono::seconds until_next_try{60}; // where there is no NVML, or it tells no events

} // namespace

void GpuWatch::follow(bool wanted)
{
    wanted_ = wanted;
    if (wanted_ && !listens_) listen();
}

void GpuWatch::listen()
{
    listens_ = true;
    driver_.run<Result<Heard>>(
        [this, wanted = wanted_, library = site_.nvml_library]() -> Result<Heard> {
            if (!wanted) return events_.reset(), Heard();
            if (!events_) {
                auto opened = hal::GpuEvents::open(library);
                if (!opened) return tl::unexpected(opened.error());
                events_.emplace(std::move(*opened));
            }
            return events_->wait(between_bus_checks);
        },
        [this, wanted = wanted_](const Result<Heard>& heard) {
            on_heard(heard);
            if (heard)
                go_on(wanted); // once more after the last, to close the driver
            else
                loop_.after(until_next_try, [this] { go_on(false); });
        });
}

void GpuWatch::go_on(bool is_open)
{
    listens_ = false;
    if (wanted_ || is_open) listen();
}

void GpuWatch::on_heard(const Result<Heard>& heard)
{
    if (!heard && !std::exchange(is_told_, true)) log_error("GPUs that fail won't be noticed", heard.error());
    if (!heard) return;
    for (const hal::GpuFailure& failure : *heard) failed_(failure);
}

} // namespace mscale::daemon
