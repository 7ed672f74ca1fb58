/// The request handlers that a shop adds to a ``Sandbox``; only the product `StorefrontSandbox` implements this protocol.
package protocol ShopRouting: Sendable {
    /// Returns the handler for a path of the shop's own domain, except for paths below `/.well-known/`.
    func route(_ path: String) -> SandboxRoute

    func customerAccountAPI(_ call: SandboxCall) -> SandboxResponse
}
