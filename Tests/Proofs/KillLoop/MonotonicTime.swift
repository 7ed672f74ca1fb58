internal import Glibc

/// Nanoseconds since the machine started, the same for all processes.
enum MonotonicTime {
    static var now: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
