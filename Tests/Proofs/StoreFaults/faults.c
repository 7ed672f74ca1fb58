#define _GNU_SOURCE
#include "faults.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define MAX_DESCRIPTORS 4096
#define MAX_NAMES 4096

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char watched[1024];
static size_t watched_length;

// The meaning of each descriptor: 0 is not watched, a number from 1 on is a file, -1 is a directory.
static int32_t descriptors[MAX_DESCRIPTORS];
static char *directories[MAX_DESCRIPTORS];

static struct {
    char *path;
    int32_t file;
} names[MAX_NAMES];
static int name_count;
static int32_t last_file;

static int armed_kinds, armed_error, armed_lasting, armed_torn;
static int64_t armed_number, armed_count, fired;

static int skips_file_syncs, skips_directory_syncs;

static int is_recording;
static struct fault_record *records;
static int64_t record_count, record_room;

// Threads read these tables before they take the lock, because most descriptors are not watched.
#define READ(place) __atomic_load_n(&(place), __ATOMIC_RELAXED)
#define WRITE(place, value) __atomic_store_n(&(place), (value), __ATOMIC_RELAXED)

#define REAL(type, name, ...)                                      \
    static type (*found)(__VA_ARGS__);                             \
    type (*real)(__VA_ARGS__) = READ(found);                       \
    if (!real) {                                                   \
        *(void **)(&real) = dlsym(RTLD_NEXT, #name);               \
        WRITE(found, real);                                        \
    }                                                              \
    (void)0

// MARK: Names

static int is_watched(const char *path) {
    return watched_length > 0 && path && strncmp(path, watched, watched_length) == 0
        && (path[watched_length] == '/' || path[watched_length] == 0);
}

static int32_t file_named(const char *path) {
    for (int i = 0; i < name_count; i++)
        if (names[i].path && strcmp(names[i].path, path) == 0) return names[i].file;
    return 0;
}

static void set_name(const char *path, int32_t file) {
    for (int i = 0; i < name_count; i++) {
        if (names[i].path && strcmp(names[i].path, path) == 0) {
            names[i].file = file;
            return;
        }
    }
    for (int i = 0; i < MAX_NAMES; i++) {
        if (i < name_count && names[i].path) continue;
        names[i].path = strdup(path);
        names[i].file = file;
        if (i >= name_count) name_count = i + 1;
        return;
    }
    abort();
}

static void remove_name(const char *path) {
    for (int i = 0; i < name_count; i++) {
        if (names[i].path && strcmp(names[i].path, path) == 0) {
            free(names[i].path);
            names[i].path = NULL;
        }
    }
}

// MARK: Records

static void record(int32_t kind, int32_t file, int64_t offset, const void *data, int64_t count) {
    if (!is_recording) return;
    if (record_count == record_room) {
        record_room = record_room ? record_room * 2 : 4096;
        records = realloc(records, (size_t)record_room * sizeof *records);
        if (!records) abort();
    }
    uint8_t *copy = NULL;
    if (count > 0) {
        copy = malloc((size_t)count);
        if (!copy) abort();
        memcpy(copy, data, (size_t)count);
    }
    records[record_count++] = (struct fault_record){kind, file, offset, count, copy};
}

static void record_name(int32_t kind, int32_t file, const char *path) {
    record(kind, file, 0, path, (int64_t)strlen(path));
}

// Returns the file of a path; an unknown path gets a new file.
static int32_t note_file(const char *path, int is_new) {
    int32_t file = file_named(path);
    if (file > 0 && !is_new) return file;
    file = ++last_file;
    set_name(path, file);
    if (is_new) record_name(RECORD_NAME, file, path);
    return file;
}

// MARK: Faults

// Returns 1 and sets errno if a call has to fail.
static int fails(int kind) {
    if (!(armed_kinds & kind)) return 0;
    armed_count++;
    if (armed_count != armed_number && !(armed_lasting && armed_count > armed_number)) return 0;
    fired++;
    errno = armed_error;
    return 1;
}

static int32_t of(int descriptor) {
    return descriptor >= 0 && descriptor < MAX_DESCRIPTORS ? READ(descriptors[descriptor]) : 0;
}

// MARK: Open and close

static int after_open(int descriptor, const char *path, int flags, int was_there) {
    if (descriptor < 0 || descriptor >= MAX_DESCRIPTORS) return descriptor;
    struct stat status;
    int is_directory = fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode);
    pthread_mutex_lock(&lock);
    free(directories[descriptor]);
    WRITE(directories[descriptor], NULL);
    WRITE(descriptors[descriptor], 0);
    if (is_watched(path)) {
        if (is_directory) {
            WRITE(descriptors[descriptor], -1);
            WRITE(directories[descriptor], strdup(path));
        } else {
            WRITE(descriptors[descriptor], note_file(path, (flags & O_CREAT) && !was_there));
            if (flags & O_TRUNC) record(RECORD_TRUNCATE, of(descriptor), 0, NULL, 0);
        }
    }
    pthread_mutex_unlock(&lock);
    return descriptor;
}

static int before_open(const char *path, int flags, int *was_there) {
    pthread_mutex_lock(&lock);
    int is_ours = is_watched(path);
    // Only files that are opened for writing can fail: a read-only descriptor changes nothing.
    int has_failed = is_ours && (flags & O_ACCMODE) != O_RDONLY && fails(FAULT_OPEN);
    pthread_mutex_unlock(&lock);
    struct stat status;
    *was_there = is_ours && lstat(path, &status) == 0;
    return has_failed;
}

#define OPEN(name)                                                 \
    int name(const char *path, int flags, ...) {                   \
        REAL(int, name, const char *, int, ...);                   \
        mode_t mode = 0;                                           \
        if (flags & (O_CREAT | O_TMPFILE)) {                       \
            va_list list;                                          \
            va_start(list, flags);                                 \
            mode = va_arg(list, mode_t);                           \
            va_end(list);                                          \
        }                                                          \
        int was_there = 0;                                         \
        if (before_open(path, flags, &was_there)) return -1;       \
        return after_open(real(path, flags, mode), path, flags, was_there); \
    }

OPEN(open)
OPEN(open64)

// The path of a name in an open directory; empty if the directory is not watched.
static void path_in(int directory, const char *name, char *path, size_t room) {
    path[0] = 0;
    if (name[0] == '/') {
        snprintf(path, room, "%s", name);
    } else if (directory >= 0 && directory < MAX_DESCRIPTORS && READ(directories[directory])) {
        snprintf(path, room, "%s/%s", READ(directories[directory]), name);
    }
}

#define OPENAT(name)                                               \
    int name(int directory, const char *entry, int flags, ...) {   \
        REAL(int, name, int, const char *, int, ...);              \
        mode_t mode = 0;                                           \
        if (flags & (O_CREAT | O_TMPFILE)) {                       \
            va_list list;                                          \
            va_start(list, flags);                                 \
            mode = va_arg(list, mode_t);                           \
            va_end(list);                                          \
        }                                                          \
        char path[2048];                                           \
        path_in(directory, entry, path, sizeof path);              \
        int was_there = 0;                                         \
        if (before_open(path, flags, &was_there)) return -1;       \
        return after_open(real(directory, entry, flags, mode), path, flags, was_there); \
    }

OPENAT(openat)
OPENAT(openat64)

int close(int descriptor) {
    REAL(int, close, int);
    if (descriptor >= 0 && descriptor < MAX_DESCRIPTORS
        && (READ(descriptors[descriptor]) || READ(directories[descriptor]))) {
        pthread_mutex_lock(&lock);
        WRITE(descriptors[descriptor], 0);
        free(directories[descriptor]);
        WRITE(directories[descriptor], NULL);
        pthread_mutex_unlock(&lock);
    }
    return real(descriptor);
}

// MARK: Content

#define PWRITE(name)                                               \
    ssize_t name(int descriptor, const void *bytes, size_t count, off64_t offset) { \
        REAL(ssize_t, name, int, const void *, size_t, off64_t);   \
        if (of(descriptor) <= 0) return real(descriptor, bytes, count, offset); \
        pthread_mutex_lock(&lock);                                 \
        ssize_t result;                                            \
        if (fails(FAULT_WRITE)) {                                  \
            if (armed_torn && real(descriptor, bytes, count / 2, offset) > 0) \
                record(RECORD_WRITE, of(descriptor), offset, bytes, (int64_t)(count / 2)); \
            errno = armed_error;                                   \
            result = armed_error ? -1 : (ssize_t)count;            \
        } else {                                                   \
            result = real(descriptor, bytes, count, offset);       \
            if (result > 0) record(RECORD_WRITE, of(descriptor), offset, bytes, result); \
        }                                                          \
        pthread_mutex_unlock(&lock);                               \
        return result;                                             \
    }

PWRITE(pwrite)
PWRITE(pwrite64)

ssize_t write(int descriptor, const void *bytes, size_t count) {
    REAL(ssize_t, write, int, const void *, size_t);
    if (of(descriptor) <= 0) return real(descriptor, bytes, count);
    pthread_mutex_lock(&lock);
    ssize_t result = -1;
    if (!fails(FAULT_WRITE)) {
        off_t offset = lseek(descriptor, 0, SEEK_CUR);
        result = real(descriptor, bytes, count);
        if (result > 0) record(RECORD_WRITE, of(descriptor), offset, bytes, result);
    }
    pthread_mutex_unlock(&lock);
    return result;
}

#define SYNC(name)                                                 \
    int name(int descriptor) {                                     \
        REAL(int, name, int);                                      \
        if (of(descriptor) == 0) return real(descriptor);          \
        if (of(descriptor) > 0 ? skips_file_syncs : skips_directory_syncs) return 0; \
        pthread_mutex_lock(&lock);                                 \
        int result = -1;                                           \
        if (!fails(FAULT_SYNC)) {                                  \
            result = real(descriptor);                             \
            if (result == 0 && of(descriptor) > 0) record(RECORD_SYNC, of(descriptor), 0, NULL, 0); \
            if (result == 0 && of(descriptor) < 0)                 \
                record_name(RECORD_SYNC_NAMES, 0, directories[descriptor]); \
        }                                                          \
        pthread_mutex_unlock(&lock);                               \
        return result;                                             \
    }

SYNC(fsync)
SYNC(fdatasync)

#define TRUNCATE(name)                                             \
    int name(int descriptor, off64_t length) {                     \
        REAL(int, name, int, off64_t);                             \
        if (of(descriptor) <= 0) return real(descriptor, length);  \
        pthread_mutex_lock(&lock);                                 \
        int result = -1;                                           \
        if (!fails(FAULT_TRUNCATE)) {                              \
            result = real(descriptor, length);                     \
            if (result == 0) record(RECORD_TRUNCATE, of(descriptor), length, NULL, 0); \
        }                                                          \
        pthread_mutex_unlock(&lock);                               \
        return result;                                             \
    }

TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

// MARK: Changes of names

static int begin_name(const char *path) {
    pthread_mutex_lock(&lock);
    if (!is_watched(path) || !fails(FAULT_NAME)) return 0;
    pthread_mutex_unlock(&lock);
    return 1;
}

static int end_name(int result) {
    pthread_mutex_unlock(&lock);
    return result;
}

static void forget(const char *path) {
    if (!is_watched(path)) return;
    remove_name(path);
    record_name(RECORD_UNNAME, 0, path);
}

static void move_name(const char *from, const char *to) {
    if (!is_watched(to)) return;
    int32_t file = note_file(from, 0);
    set_name(to, file);
    record_name(RECORD_NAME, file, to);
    forget(from);
}

int unlink(const char *path) {
    REAL(int, unlink, const char *);
    if (begin_name(path)) return -1;
    int result = real(path);
    if (result == 0) forget(path);
    return end_name(result);
}

int unlinkat(int directory, const char *entry, int flags) {
    REAL(int, unlinkat, int, const char *, int);
    char path[2048];
    path_in(directory, entry, path, sizeof path);
    if (begin_name(path)) return -1;
    int result = real(directory, entry, flags);
    if (result == 0) forget(path);
    return end_name(result);
}

int rename(const char *from, const char *to) {
    REAL(int, rename, const char *, const char *);
    if (begin_name(to)) return -1;
    int result = real(from, to);
    if (result == 0) move_name(from, to);
    return end_name(result);
}

int renameat(int from_directory, const char *from, int to_directory, const char *to) {
    REAL(int, renameat, int, const char *, int, const char *);
    char old_path[2048], new_path[2048];
    path_in(from_directory, from, old_path, sizeof old_path);
    path_in(to_directory, to, new_path, sizeof new_path);
    if (begin_name(new_path)) return -1;
    int result = real(from_directory, from, to_directory, to);
    if (result == 0) move_name(old_path, new_path);
    return end_name(result);
}

int link(const char *from, const char *to) {
    REAL(int, link, const char *, const char *);
    if (begin_name(to)) return -1;
    int result = real(from, to);
    if (result == 0 && is_watched(to)) {
        int32_t file = note_file(from, 0);
        set_name(to, file);
        record_name(RECORD_NAME, file, to);
    }
    return end_name(result);
}

int mknod(const char *path, mode_t mode, dev_t device) {
    REAL(int, mknod, const char *, mode_t, dev_t);
    if (begin_name(path)) return -1;
    int result = real(path, mode, device);
    if (result == 0 && is_watched(path)) note_file(path, 1);
    return end_name(result);
}

int mkdir(const char *path, mode_t mode) {
    REAL(int, mkdir, const char *, mode_t);
    if (begin_name(path)) return -1;
    int result = real(path, mode);
    // A directory is recorded like a file without content; its number is negative.
    if (result == 0 && is_watched(path)) {
        set_name(path, ++last_file);
        record(RECORD_NAME, -last_file, 0, path, (int64_t)strlen(path));
    }
    return end_name(result);
}

// MARK: For the tests

void faults_watch(const char *directory) {
    pthread_mutex_lock(&lock);
    snprintf(watched, sizeof watched, "%s", directory);
    watched_length = strlen(watched);
    for (int i = 0; i < name_count; i++) free(names[i].path);
    memset(names, 0, sizeof names);
    name_count = 0;
    for (int64_t i = 0; i < record_count; i++) free((void *)records[i].data);
    record_count = 0;
    is_recording = 0;
    armed_kinds = 0;
    pthread_mutex_unlock(&lock);
}

void faults_arm(int kinds, int64_t number, int error, int is_lasting, int is_torn) {
    pthread_mutex_lock(&lock);
    armed_kinds = number > 0 ? kinds : 0;
    armed_number = number;
    armed_error = error;
    armed_lasting = is_lasting;
    armed_torn = is_torn;
    armed_count = 0;
    fired = 0;
    pthread_mutex_unlock(&lock);
}

void faults_skip_syncs(int of_files, int of_directories) {
    pthread_mutex_lock(&lock);
    skips_file_syncs = of_files;
    skips_directory_syncs = of_directories;
    pthread_mutex_unlock(&lock);
}

int64_t faults_counted(void) {
    pthread_mutex_lock(&lock);
    int64_t count = armed_count;
    pthread_mutex_unlock(&lock);
    return count;
}

int64_t faults_fired(void) {
    pthread_mutex_lock(&lock);
    int64_t count = fired;
    pthread_mutex_unlock(&lock);
    return count;
}

void faults_record(int is_on) {
    pthread_mutex_lock(&lock);
    is_recording = is_on;
    pthread_mutex_unlock(&lock);
}

void faults_mark(int64_t number) {
    pthread_mutex_lock(&lock);
    record(RECORD_MARK, 0, number, NULL, 0);
    pthread_mutex_unlock(&lock);
}

int64_t faults_record_count(void) {
    pthread_mutex_lock(&lock);
    int64_t count = record_count;
    pthread_mutex_unlock(&lock);
    return count;
}

struct fault_record faults_record_at(int64_t index) {
    pthread_mutex_lock(&lock);
    struct fault_record found = records[index];
    pthread_mutex_unlock(&lock);
    return found;
}
