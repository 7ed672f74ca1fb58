internal import CIdentityOpenSSL
internal import Glibc
internal import Synchronization

/// OpenSSL's memory allocation, which a test can make fail; only in a separate process that has not used OpenSSL yet.
public enum OpenSSLMemory {
    /// The number of allocations that succeed before all fail; negative while no allocation fails.
    private static let left = Atomic(-1)
    private static let failures = Atomic(0)

    /// Replaces OpenSSL's allocation functions; false if OpenSSL has allocated memory before and therefore keeps its own functions.
    public static func takeOver() -> Bool {
        unsafe CRYPTO_set_mem_functions(
            { count, _, _ in OpenSSLMemory.isGranted() ? unsafe malloc(count) : nil },
            { old, count, _, _ in
                guard count > 0 else {
                    unsafe free(old)
                    return nil
                }
                return OpenSSLMemory.isGranted() ? unsafe realloc(old, count) : nil
            },
            { old, _, _ in unsafe free(old) }
        ) == 1
    }

    /// Runs a body that can make this number of allocations; returns its result, and whether an allocation failed.
    public static func running<R>(
        outAfter count: Int,
        _ body: () async throws -> R
    ) async rethrows -> (result: R, hasRunOut: Bool) {
        failures.store(0, ordering: .sequentiallyConsistent)
        left.store(count, ordering: .sequentiallyConsistent)
        defer { left.store(-1, ordering: .sequentiallyConsistent) }
        let result = try await body()
        return (result, failures.load(ordering: .sequentiallyConsistent) > 0)
    }

    private static func isGranted() -> Bool {
        let count = left.load(ordering: .sequentiallyConsistent)
        if count < 0 { return true }
        if count > 0,
            left.compareExchange(expected: count, desired: count - 1, ordering: .sequentiallyConsistent).exchanged
        {
            return true
        }
        failures.add(1, ordering: .sequentiallyConsistent)
        return false
    }
}
