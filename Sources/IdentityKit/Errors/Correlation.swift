internal import IdentityCrypto

/// The id that the errors and events of one operation share; task-local, so that it needs no parameter.
package enum Correlation {
    @TaskLocal package static var current: String?

    /// Makes an id of 16 hexadecimal digits.
    ///
    /// An id is not secret: if there are no random bytes, a fixed one is good enough.
    package static func makeID() -> String {
        Hexadecimal.encode((try? SecureRandom.bytes(8)) ?? Array("fallback".utf8))
    }

    /// Runs an operation under one id: the caller's id if there is one, else a new one.
    ///
    /// The public calls begin it, such as those of ``SessionManager``, and each repair. The types that they call only read ``current``.
    package static func scope<R>(_ body: () async throws -> R) async rethrows -> R {
        if current != nil { return try await body() }
        return try await $current.withValue(makeID(), operation: body)
    }
}
