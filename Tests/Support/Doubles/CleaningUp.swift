/// Runs a body and then an asynchronous cleanup, also if the body throws.
///
/// A `defer` block cannot contain an asynchronous call.
package func cleaningUp<Result>(
    _ cleanUp: () async -> Void,
    after body: () async throws -> Result
) async throws -> Result {
    do {
        let result = try await body()
        await cleanUp()
        return result
    } catch {
        await cleanUp()
        throw error
    }
}
