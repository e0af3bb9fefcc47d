#pragma once

#include <string>

#include <dlfcn.h>

#include "base/error.hpp"
#include "base/handle.hpp"
#include "base/text.hpp"

/// NVML as it is loaded at run time.
namespace mscale::hal {

inline void close_nvml(void* library)
{
    ::dlclose(library);
}
using NvmlLibrary = Handle<void*, close_nvml>;

/// The file that is asked for: `path`, or the system's where it is "".
inline std::string name_nvml(const std::string& path)
{
    return path.empty() ? "libnvidia-ml.so.1" : path;
}

/// Code::nvml with the loader's own words where it can't be loaded.
inline Result<NvmlLibrary> open_nvml(const std::string& path)
{
    NvmlLibrary library(::dlopen(name_nvml(path).c_str(), RTLD_NOW | RTLD_LOCAL));
    if (!library) return failure(Code::nvml, format("NVML can't be loaded: {}", ::dlerror()));
    return library;
}

/// False when the library has no function of this name.
template <class Function> bool bind(const NvmlLibrary& library, const char* name, Function& function)
{
    function = reinterpret_cast<Function>(::dlsym(library.pointer(), name));
    return function != nullptr;
}

} // namespace mscale::hal
