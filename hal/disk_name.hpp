#pragma once

#include <string_view>

namespace mscale::hal {

/// What a device name stands for, by its form alone; only a whole namespace may get queues or limits.
enum class DiskName {
    whole_namespace, ///< nvme0n1, with or without /dev/
    partition,       ///< nvme0n1p1: io limits answer ENODEV there
    path_leg,        ///< nvme0c1n1, a hidden path of multipath
    controller,      ///< nvme0: says no namespace
    generic,         ///< ng0n1, the character device
    other,           ///< sda, vda, …: a disk that isn't NVMe
    link,            ///< /dev/disk/by-id/…: resolve it first
    bad,             ///< nothing of these
};

DiskName classify_disk_name(std::string_view name);

} // namespace mscale::hal
