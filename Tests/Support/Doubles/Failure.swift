package import IdentityKit

/// Runs an operation and returns its error, or nil if it succeeds; an error of another type becomes one that no test expects.
package func failure<Result>(of operation: () async throws -> Result) async -> IdentityError? {
    do {
        _ = try await operation()
        return nil
    } catch let error as IdentityError {
        return error
    } catch {
        // No error has this kind and this code together; nil would mean success.
        return IdentityError(.configuration, .systemFailure, "The operation threw another type of error: \(error)")
    }
}
