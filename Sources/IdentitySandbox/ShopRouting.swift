/// The parts that a shop adds to a ``Sandbox``.
///
/// The product `StorefrontSandbox` has the only implementation.
package protocol ShopRouting: Sendable {
    /// Answers a request at the shop's own domain, except for discovery.
    func route(_ path: String) -> SandboxRoute

    /// Answers a request to the Customer Account API.
    func customerAccountAPI(_ call: SandboxCall) -> SandboxResponse
}
