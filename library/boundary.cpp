#include "library/boundary.hpp"

#include "base/text.hpp"

namespace {

thread_local std::string last_error;

void copy_axes(std::vector<std::uint64_t>& to, const std::uint64_t* from, std::uint32_t axes)
{
    if (axes > 0) to.assign(from, from + axes);
}

} // namespace

const char* mscale_last_error(void)
{
    return last_error.c_str();
}

namespace mscale::library {

mscale_status answer(const Error& error, mscale_status status)
{
    last_error = to_line(error);
    return status;
}

mscale_status answer(const Result<void>& result)
{
    return result ? MSCALE_OK : answer(result.error(), to_status(result.error()));
}

mscale_status answer_wrong(std::string text)
{
    return answer(tl::unexpected(failure(Code::save_order, std::move(text)).value()));
}

mscale_status answer_outside()
{
    last_error = "this process isn't a rank of a job whose contract has [ft]";
    return MSCALE_OUTSIDE;
}

mscale_status answer_broken(const char* text) noexcept
{
    last_error = text; // short enough to need no memory
    return MSCALE_SYSTEM;
}

Result<recovery::Extent> read_extent(const char* name, mscale_kind kind, const mscale_tensor* tensor)
{
    if (!name) return failure(Code::save_order, "an extent has no name");
    if (kind < MSCALE_OPAQUE || kind > MSCALE_SHARED || (kind == MSCALE_TENSOR) != (tensor != nullptr))
        return failure(Code::save_order, format("extent '{}': kind and tensor don't fit", printable(name)));
    recovery::Extent extent;
    extent.name = name;
    extent.kind = static_cast<recovery::ExtentKind>(kind);
    if (!tensor) return extent;
    if (tensor->type < MSCALE_BYTES || tensor->type > MSCALE_COMPLEX128 || tensor->axes > recovery::most_axes)
        return failure(Code::save_order, format("extent '{}': unknown type, or over {} axes", printable(name),
                                                recovery::most_axes));
    extent.type = static_cast<recovery::DataType>(tensor->type);
    copy_axes(extent.global, tensor->global, tensor->axes);
    copy_axes(extent.offset, tensor->offset, tensor->axes);
    copy_axes(extent.shape, tensor->shape, tensor->axes);
    return extent;
}

} // namespace mscale::library
