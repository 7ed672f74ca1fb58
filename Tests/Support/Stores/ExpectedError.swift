package import IdentityKit
package import Testing

/// Expects an error of the SDK with this code and kind, and returns it.
@discardableResult
package func expect<R>(
    _ code: IdentityError.Code,
    _ kind: IdentityError.Kind,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> R
) async -> IdentityError? {
    let error = await #expect(throws: IdentityError.self, sourceLocation: sourceLocation) { _ = try await body() }
    #expect(error?.code == code, sourceLocation: sourceLocation)
    #expect(error?.kind == kind, sourceLocation: sourceLocation)
    return error
}
