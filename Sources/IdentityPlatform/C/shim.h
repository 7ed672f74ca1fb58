#pragma once

#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/vfs.h>

// This header declares only what Swift's module of the C library does not contain.

static inline int64_t identity_file_system(const char *_Nonnull path) {
    struct statfs status;
    return statfs(path, &status) == 0 ? (int64_t)(uint32_t)status.f_type : -1;
}

static inline long identity_thread_waits(void) {
    struct rusage usage = {0};
#if defined(__linux__)
    getrusage(1, &usage); // RUSAGE_THREAD, which the headers declare only under _GNU_SOURCE
#else
    getrusage(RUSAGE_SELF, &usage);
#endif
    return usage.ru_nvcsw;
}
