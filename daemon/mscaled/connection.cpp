#include "daemon/mscaled/connection.hpp"

#include <cerrno>

#include <poll.h>
#include <sys/socket.h>

namespace mscale::daemon {

Connection::Connection(Loop& loop, Fd socket, Cut cut, std::size_t limit, Handlers handlers)
    : loop_(loop), socket_(std::move(socket)), cut_(cut), limit_(limit), handlers_(std::move(handlers))
{
}

std::shared_ptr<Connection> Connection::start(Loop& loop, Fd socket, Cut cut, std::size_t limit,
                                              Deadlines deadlines, Handlers handlers)
{
    std::shared_ptr<Connection> made(
        new Connection(loop, std::move(socket), cut, limit, std::move(handlers)));
    made->message_timer_ = loop.after(deadlines.message, [made] { made->fail_late(); });
    made->whole_timer_ = loop.after(deadlines.whole, [made] { made->fail_late(); });
    made->update_interest();
    return made;
}

void Connection::update_interest()
{
    const short events = static_cast<short>((answered_ ? 0 : POLLIN) | (pending_.empty() ? 0 : POLLOUT));
    loop_.watch(socket_.number(), events,
                [self = shared_from_this()](short ready) { self->on_ready(ready); });
}

void Connection::send(std::string bytes)
{
    if (!open_) return;
    asks_ = asks_ || !answered_;
    pending_ += bytes;
    update_interest();
}

void Connection::close(const Error* why)
{
    if (!open_) return;
    open_ = false;
    const auto self = shared_from_this();
    loop_.cancel(message_timer_);
    loop_.cancel(whole_timer_);
    loop_.unwatch(socket_.number());
    socket_ = Fd();
    if (handlers_.end) handlers_.end(why);
    handlers_ = {};
}

void Connection::fail(std::string text, int error_number)
{
    const Error error = os_failure(Code::peer, std::move(text), error_number).value();
    close(&error);
}

void Connection::fail_late()
{
    const Error late{Code::deadline, "the other side didn't send or read its message in time", {}};
    close(&late);
}

void Connection::on_ready(short events)
{
    if (events & POLLOUT) flush();
    if (open_ && events & POLLIN && !answered_) receive();
    if (open_ && events & (POLLERR | POLLHUP) && !(events & (POLLIN | POLLOUT)))
        fail("a connection broke", ECONNRESET);
}

void Connection::receive()
{
    char buffer[16384];
    const ssize_t got = recv(socket_.number(), buffer, sizeof buffer, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got < 0) return fail("reading from a connection", errno);
    if (got == 0) return fail("the other side closed without a message", ECONNRESET);
    arrived_.append(buffer, static_cast<std::size_t>(got));
    deliver();
}

void Connection::deliver()
{
    auto cut = cut_(arrived_, limit_);
    if (!cut) return close(&cut.error());
    if (!*cut) return;
    answered_ = true;
    loop_.cancel(message_timer_);
    update_interest();
    const auto message = std::move(handlers_.message); // it may close, which drops the handlers
    message(std::move(**cut));
    if (asks_) close();
}

void Connection::flush()
{
    const ssize_t sent = ::send(socket_.number(), pending_.data(), pending_.size(), MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (sent < 0) return fail("writing to a connection", errno);
    pending_.erase(0, static_cast<std::size_t>(sent));
    if (!pending_.empty()) return;
    if (answered_) return close();
    update_interest();
}

} // namespace mscale::daemon
