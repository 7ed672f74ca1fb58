internal import IdentityCrypto
internal import Synchronization

/// The id that the errors and events of one operation share; it is task-local, so functions need no parameter for it.
package enum Correlation {
    @TaskLocal package static var current: String?

    /// Random bytes for the next ids, fetched 512 at a time, because a call of the generator takes about as long for 8 bytes as for 512.
    private static let spare = Mutex<ArraySlice<UInt8>>([])

    /// Makes a random id of 16 hexadecimal digits.
    ///
    /// If the random generator fails, the id is a constant: an id need not be secret, and the operation should not fail.
    package static func makeID() -> String {
        spare.withLock { spare in
            if spare.isEmpty { spare = ((try? SecureRandom.bytes(512)) ?? Array("fallback".utf8))[...] }
            defer { spare.removeFirst(8) }
            return Hexadecimal.encode(spare.prefix(8))
        }
    }

    package static func scope<R>(_ body: () async throws -> R) async rethrows -> R {
        if current != nil { return try await body() }
        return try await $current.withValue(makeID(), operation: body)
    }
}
