#pragma once

#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/vfs.h>

// This header declares only what Swift's module of the C library does not contain.

// The kind of file system under a path (statfs(2)), -1 if statfs fails.
static inline int64_t identity_file_system(const char *_Nonnull path) {
    struct statfs status;
    return statfs(path, &status) == 0 ? (int64_t)(uint32_t)status.f_type : -1;
}
