/// The request handlers that a shop adds to a ``Sandbox``.
///
/// The product `StorefrontSandbox` has the only implementation.
package protocol ShopRouting: Sendable {
    /// Returns the handler for a path of the shop's own domain, except for paths below `/.well-known/`.
    func route(_ path: String) -> SandboxRoute

    /// Answers a request to the Customer Account API.
    func customerAccountAPI(_ call: SandboxCall) -> SandboxResponse
}
