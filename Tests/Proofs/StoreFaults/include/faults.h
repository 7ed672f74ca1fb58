#pragma once

#include <stddef.h>
#include <stdint.h>

// Stands between this process and its files: the functions by which libraries and Swift change files are defined again in
// faults.c, count the calls that concern one directory, let one of them fail on request, and keep a record of them.

enum fault_kind {
    FAULT_WRITE = 1,
    FAULT_SYNC = 2,
    FAULT_TRUNCATE = 4,
    FAULT_OPEN = 8,
    FAULT_NAME = 16,  // unlink, rename, link, mkdir, mknod
};

// Watches everything under a directory, anew: what was counted and recorded before is forgotten. An empty path: nothing.
void faults_watch(const char *directory);

// Lets the n-th call of these kinds from now on fail with an errno; with is_lasting all that follow too. A write that fails has
// written half where is_torn. With an errno of 0 a write does nothing and says that it was done. A number of 0: no more.
void faults_arm(int kinds, int64_t number, int error, int is_lasting, int is_torn);

// How many calls of the kinds there were since faults_arm, and how many of them failed.
int64_t faults_counted(void);
int64_t faults_fired(void);

// Lets synchronizations of files, of directories, or of both do nothing and say that they were done.
void faults_skip_syncs(int of_files, int of_directories);

enum record_kind {
    RECORD_WRITE = 1,     // file, offset, data
    RECORD_TRUNCATE = 2,  // file, offset: the new length
    RECORD_SYNC = 3,      // file
    RECORD_NAME = 4,      // file, data: the name that it has now
    RECORD_UNNAME = 5,    // data: the name that is gone
    RECORD_SYNC_NAMES = 6,// data: the directory
    RECORD_MARK = 7,      // offset: the number given
};

struct fault_record {
    int32_t kind;
    int32_t file;
    int64_t offset;
    int64_t count;
    const uint8_t *data;
};

// Begins or ends to keep a record of the calls that succeed.
void faults_record(int is_on);

// Puts a mark into the record.
void faults_mark(int64_t number);

// How many records there are, and one of them; its data stays where it is until faults_watch.
int64_t faults_record_count(void);
struct fault_record faults_record_at(int64_t index);
