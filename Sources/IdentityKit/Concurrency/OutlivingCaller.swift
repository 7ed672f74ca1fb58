/// Completes an operation, such as the end of a session, even if the caller is cancelled.
///
/// It uses an unstructured task, because cancellation reaches all structured ones. After a session was removed from the
/// store, no other caller can revoke its tokens or detach its cart, so a browser that disconnects must not prevent these
/// steps. Each operation that runs here has its own time limit.
func outlivingCaller<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () async throws(Failure) -> Value
) async throws(Failure) -> Value {
    try await Task { () -> Result<Value, Failure> in
        do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
    }.value.get()
}
