internal import IdentityKit

/// Repeats calls after temporary errors, which a busy machine can cause.
enum Retry {
    static func afterTemporaryErrors<Value>(_ call: () async throws -> Value) async throws -> Value {
        for _ in 0..<4 {
            do { return try await call() } catch let error as IdentityError where error.kind == .retryLater {}
        }
        return try await call()
    }
}
