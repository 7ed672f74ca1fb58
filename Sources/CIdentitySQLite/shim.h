#pragma once

#include <sqlite3.h>
#include <stdint.h>

// Swift cannot import `sqlite3_db_config`, because it is variadic, and `SQLITE_TRANSIENT`, because it is a macro with a cast.

static inline int identity_sqlite_configure(sqlite3 *database, int option, int value) {
    return sqlite3_db_config(database, option, value, (int *)0);
}

static inline int identity_sqlite_bind_bytes(sqlite3_stmt *statement, int index, const void *bytes, int64_t count) {
    return sqlite3_bind_blob64(statement, index, bytes, (sqlite3_uint64)count, SQLITE_TRANSIENT);
}

// Reads from the database file's header (SQLite's file format, section 1.3) whether the file is in WAL mode, and the file change
// counter. It reads through SQLite's own file descriptor. If it opened and closed another descriptor of the file, the kernel would
// drop the POSIX locks that SQLite holds on the file.
static inline int identity_sqlite_read_header(sqlite3 *database, int *is_wal, uint32_t *counter) {
    sqlite3_file *file = 0;
    unsigned char bytes[10] = {0};
    int result = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (result != SQLITE_OK) return result;
    if (file == 0 || file->pMethods == 0) return SQLITE_ERROR;
    result = file->pMethods->xRead(file, bytes, sizeof bytes, 18);
    if (result != SQLITE_OK && result != SQLITE_IOERR_SHORT_READ) return result;
    *is_wal = bytes[0] == 2;
    *counter = (uint32_t)bytes[6] << 24 | (uint32_t)bytes[7] << 16 | (uint32_t)bytes[8] << 8 | (uint32_t)bytes[9];
    return SQLITE_OK;
}
