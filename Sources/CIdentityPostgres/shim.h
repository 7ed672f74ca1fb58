#pragma once

#include <libpq-fe.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

// Only what Swift cannot import or what needs a C callback, under names that clash with nobody's.

// libpq prints notices to standard error unless it is told otherwise; they may repeat values.
static inline void identity_postgres_ignore_notice(void *_Nullable argument, const PGresult *_Nullable result) {
    (void)argument;
    (void)result;
}

static inline void identity_postgres_silence(PGconn *_Nonnull connection) {
    PQsetNoticeReceiver(connection, identity_postgres_ignore_notice, (void *)0);
}

// Wakes a poll(2).
static inline int identity_postgres_wake_make(void) {
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

static inline void identity_postgres_wake_raise(int descriptor) {
    uint64_t one = 1;
    // Fails only when the counter is full, and then the descriptor is readable already.
    ssize_t result = write(descriptor, &one, sizeof one);
    (void)result;
}

static inline void identity_postgres_wake_clear(int descriptor) {
    uint64_t count;
    ssize_t result = read(descriptor, &count, sizeof count);
    (void)result;
}
