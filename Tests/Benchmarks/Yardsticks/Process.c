// CPU time and allocations of this process. The Swift peers in ../Peers use this file too.
#include "Yardsticks.h"
#include <stdatomic.h>
#include <stddef.h>
#include <sys/resource.h>

// Counts the allocations of the whole program, so that a row can show how many its work needs.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
static atomic_uint_fast64_t allocations;

static void count(void) { atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed); }
void *malloc(size_t size) { count(); return __libc_malloc(size); }
void *calloc(size_t number, size_t size) { count(); return __libc_calloc(number, size); }
void *realloc(void *pointer, size_t size) { count(); return __libc_realloc(pointer, size); }
void *memalign(size_t alignment, size_t size) { count(); return __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { count(); return __libc_memalign(alignment, size); }
int posix_memalign(void **pointer, size_t alignment, size_t size) {
    count();
    *pointer = __libc_memalign(alignment, size);
    return *pointer ? 0 : 12;
}

uint64_t yardstick_allocations(void) { return atomic_load_explicit(&allocations, memory_order_relaxed); }

double yardstick_cpu_microseconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6
        + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}
