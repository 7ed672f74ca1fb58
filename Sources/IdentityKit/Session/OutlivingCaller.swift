/// Runs what ends sessions to its end, also when the caller is cancelled meanwhile.
///
/// In an unstructured task, for cancellation reaches all others: of a session that is gone from the store nobody else can have
/// the tokens revoked or the cart detached, and a browser that hangs up must not keep either from happening. What runs here has
/// limits of its own.
func outlivingCaller<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) async -> Result {
    await Task { await body() }.value
}
