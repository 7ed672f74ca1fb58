internal import IdentityCrypto

/// The id that the errors and events of one operation share; task-local, so that it needs no parameter.
package enum Correlation {
    @TaskLocal package static var current: String?

    /// Makes an id of 16 hexadecimal digits.
    ///
    /// An id is not secret: if there are no random bytes, a fixed one is good enough.
    package static func makeID() -> String {
        let bytes = (try? SecureRandom.bytes(8)) ?? Array("fallback".utf8)
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Runs an operation under one id: the caller's id if there is one, else a new one.
    package static func scope<R>(_ body: () async throws -> R) async rethrows -> R {
        if current != nil { return try await body() }
        return try await $current.withValue(makeID(), operation: body)
    }
}
