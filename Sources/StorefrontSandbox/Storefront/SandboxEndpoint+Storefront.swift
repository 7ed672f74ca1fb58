public import IdentitySandbox

extension SandboxEndpoint {
    /// The Storefront API.
    public static let storefront = SandboxEndpoint(rawValue: "storefront")
    /// The web checkout that a cart's checkout URL opens.
    public static let checkout = SandboxEndpoint(rawValue: "checkout")
    /// The pictures of products.
    public static let picture = SandboxEndpoint(rawValue: "picture")
}
