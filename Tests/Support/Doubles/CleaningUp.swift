/// Runs a body and then an asynchronous cleanup, also if the body throws.
///
/// A `defer` block cannot contain an asynchronous call.
package func cleaningUp(
    _ cleanUp: () async -> Void,
    after body: () async throws -> Void
) async throws {
    do {
        try await body()
    } catch {
        await cleanUp()
        throw error
    }
    await cleanUp()
}
