#pragma once

#include <stddef.h>
#include <stdint.h>

// Observes how this process changes files, and makes such changes fail. faults.c replaces the C functions with which libraries
// and Swift change files. The replacements count the calls for one directory, record them, and let chosen calls fail.

enum fault_kind {
    FAULT_WRITE = 1,
    FAULT_SYNC = 2,
    FAULT_TRUNCATE = 4,
    FAULT_OPEN = 8,
    FAULT_NAME = 16,  // unlink, rename, link, mkdir, mknod
};

// Watches all files under a directory, and clears all counts and records. With an empty path nothing is watched.
void faults_watch(const char *directory);

// Makes the n-th call of these kinds, counted from now on, fail with an errno; with is_lasting, all later calls fail too. With
// is_torn, a failing write writes half of its bytes. With an errno of 0, a write does nothing and reports success. With a number
// of 0, no call fails any more.
void faults_arm(int kinds, int64_t number, int error, int is_lasting, int is_torn);

// The number of calls of these kinds since faults_arm, and the number of those that failed.
int64_t faults_counted(void);
int64_t faults_fired(void);

// Makes synchronizations of files, of directories, or of both do nothing and report success.
void faults_skip_syncs(int of_files, int of_directories);

enum record_kind {
    RECORD_WRITE = 1,     // file, offset, data
    RECORD_TRUNCATE = 2,  // file, offset: the new length
    RECORD_SYNC = 3,      // file
    RECORD_NAME = 4,      // file, data: its new name
    RECORD_UNNAME = 5,    // data: the name that was removed
    RECORD_SYNC_NAMES = 6,// data: the directory
    RECORD_MARK = 7,      // offset: the number of the mark
};

struct fault_record {
    int32_t kind;
    int32_t file;
    int64_t offset;
    int64_t count;
    const uint8_t *data;
};

// Starts or stops recording the calls that succeed.
void faults_record(int is_on);

// Puts a mark into the record.
void faults_mark(int64_t number);

// The number of records, and one of them. Its data is valid until the next call of faults_watch.
int64_t faults_record_count(void);
struct fault_record faults_record_at(int64_t index);
