#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace mscale::daemon {

/// Where a request comes from.
struct Source {
    std::string name;  ///< an address, a uid
    bool root = false; ///< proven to be root's
};

/// Held while a request is served; given back by dropping it, on any thread.
using Seat = std::shared_ptr<void>;

/// How many requests are served at once: so many for each source and so many for all.
class Seats {
public:
    Seats(unsigned total, unsigned per_source) : total_(total), per_source_(per_source) {}

    /// A seat, or null when all of them or all of the source's own are taken.
    Seat take(const std::string& source);

private:
    struct Counts {
        std::mutex mutex; // guards the rest
        std::map<std::string, unsigned> of_source;
        unsigned all = 0;
    };
    static void give_back(Counts& counts, const std::string& source);

    unsigned total_, per_source_;
    std::shared_ptr<Counts> counts_ = std::make_shared<Counts>(); // outlives this while a seat is held
};

/// Seats for root apart from those for users, so that no user can crowd root out.
class Hall {
public:
    Hall(Seats users, Seats root) : users_(std::move(users)), root_(std::move(root)) {}
    Seat take(const Source& source) { return (source.root ? root_ : users_).take(source.name); }

private:
    Seats users_, root_;
};

} // namespace mscale::daemon
