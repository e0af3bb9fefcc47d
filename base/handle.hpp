#pragma once

#include <utility>

#include <unistd.h>

namespace mscale {

/// Owns a file descriptor and closes it.
class Fd {
public:
    Fd() = default;
    explicit Fd(int number) : number_(number) {}
    Fd(Fd&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Fd& operator=(Fd&& other) noexcept
    {
        std::swap(number_, other.number_);
        return *this;
    }
    Fd(const Fd&) = delete;
    Fd& operator=(const Fd&) = delete;
    ~Fd()
    {
        if (number_ >= 0) ::close(number_);
    }

    /// The descriptor, still owned here; -1 when empty.
    int number() const { return number_; }
    explicit operator bool() const { return number_ >= 0; }

private:
    int number_ = -1;
};

/// Owns a C library's pointer; `release` is that library's function and part of the type.
template <class Pointer, auto release> class Handle {
public:
    Handle() = default;
    explicit Handle(Pointer pointer) : pointer_(pointer) {}
    Handle(Handle&& other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)) {}
    Handle& operator=(Handle&& other) noexcept
    {
        std::swap(pointer_, other.pointer_);
        return *this;
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle()
    {
        if (pointer_) release(pointer_);
    }

    Pointer pointer() const { return pointer_; }
    explicit operator bool() const { return pointer_ != nullptr; }

    /// For C functions that hand out the object through a parameter; what was held is released first.
    Pointer* out()
    {
        if (pointer_) release(std::exchange(pointer_, nullptr));
        return &pointer_;
    }

private:
    Pointer pointer_ = nullptr;
};

} // namespace mscale
