internal import IdentityCrypto

/// The id that ties together what one operation does: task-local, so that nobody has to pass it by hand.
package enum Correlation {
    @TaskLocal package static var current: String?

    /// A new id of 16 hexadecimal digits; an id is no secret and needs no error path.
    package static func makeID() -> String {
        let bytes = (try? SecureRandom.bytes(8)) ?? Array("fallback".utf8)
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Runs an operation under one id, the caller's where there is one.
    package static func scope<R>(_ body: () async throws -> R) async rethrows -> R {
        if current != nil { return try await body() }
        return try await $current.withValue(makeID(), operation: body)
    }
}
