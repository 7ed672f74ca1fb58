#pragma once

#include <libpq-fe.h>

// By default libpq prints the server's notices to standard error. This receiver discards them, because a notice may contain values
// of rows or parameters.
static inline void identity_postgres_ignore_notice(void *_Nullable argument, const PGresult *_Nullable result) {
    (void)argument;
    (void)result;
}

static inline void identity_postgres_silence(PGconn *_Nonnull connection) {
    PQsetNoticeReceiver(connection, identity_postgres_ignore_notice, (void *)0);
}
