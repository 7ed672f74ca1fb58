internal import CIdentityOpenSSL
internal import Glibc
internal import Synchronization

/// OpenSSL's memory, which a test can let run out; for a process of its own that has not used OpenSSL yet.
public enum OpenSSLMemory {
    /// How many allocations succeed before all of them fail; negative while none fails.
    private static let left = Atomic(-1)
    private static let failures = Atomic(0)

    /// Takes OpenSSL's allocations over.
    ///
    /// - Returns: False when OpenSSL has allocated memory before, and keeps its own functions.
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

    /// Runs a body that gets so many allocations and not one more.
    ///
    /// - Returns: What the body returns, and whether an allocation failed.
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
