package import IdentityKit

/// Runs an operation and returns its error, or nil if it succeeds.
package func failure<Result>(of operation: () async throws -> Result) async -> IdentityError? {
    do {
        _ = try await operation()
        return nil
    } catch {
        return IdentityError.wrapping(error)
    }
}
