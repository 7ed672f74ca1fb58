#pragma once

#include <libpq-fe.h>

// Only what Swift cannot import or what needs a C callback, with a prefix that avoids name clashes.

// libpq prints notices to standard error unless it is told otherwise; they may repeat values.
static inline void identity_postgres_ignore_notice(void *_Nullable argument, const PGresult *_Nullable result) {
    (void)argument;
    (void)result;
}

static inline void identity_postgres_silence(PGconn *_Nonnull connection) {
    PQsetNoticeReceiver(connection, identity_postgres_ignore_notice, (void *)0);
}
