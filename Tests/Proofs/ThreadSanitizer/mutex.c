// Reports to the thread sanitizer the locks of Synchronization.Mutex that it cannot see: if a thread has to wait, the lock is taken and
// released in Swift's own library, which is not compiled with the sanitizer. Without these reports, every value behind a contended Mutex
// is reported as a data race. Tests/Proofs/thread-sanitizer builds this file as a library and loads it before Swift's.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *mutex

// Absent in a program that was built without the sanitizer.
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

SWIFT void lockSlow(uint32_t, SELF) __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
SWIFT bool tryLockSlow(SELF) __asm__("$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF");
SWIFT void unlockSlow(SELF) __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");

SWIFT void lockSlow(uint32_t thread, SELF) {
    SWIFT void (*real)(uint32_t, SELF) = dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
    real(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT bool tryLockSlow(SELF) {
    SWIFT bool (*real)(SELF) = dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF");
    bool locked = real(mutex);
    if (locked && __tsan_acquire) __tsan_acquire(mutex);
    return locked;
}

SWIFT void unlockSlow(SELF) {
    SWIFT void (*real)(SELF) = dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
    if (__tsan_release) __tsan_release(mutex);
    real(mutex);
}
