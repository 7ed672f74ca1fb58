/// The settings of the sandbox's Shopify.
public struct SandboxShopifyConfiguration: Sendable {
    /// The two forms of a shop's endpoints.
    public enum EndpointShape: Sendable, Equatable {
        /// All endpoints at one host that serves every shop, as `shopify.com/authentication/{shop id}`.
        case platform
        /// All endpoints at the shop's own account domain; the issuer is still the platform's.
        case accountDomain
    }

    /// The response to `prompt=none` if the buyer would have to sign in; Shopify's documentation describes several responses.
    public enum SilentLoginRefusal: Sendable, Equatable {
        /// `error=login_required` at the redirect URI.
        case error
        /// `code=login_required` at the redirect URI.
        case code
        /// Status 406 with a page and no redirect.
        case notAcceptable
    }

    /// The number of the shop.
    public var shopID = 82_920_341_806
    /// The form of the endpoint URLs in the discovery documents of the shop's domain; the sandbox serves the URLs of both forms.
    public var endpointShape = EndpointShape.platform
    /// The issuer; by default ``SandboxShopify/platformOrigin`` with the path `/authentication/{shop id}`.
    public var issuer: String?
    /// Whether token responses contain `token_type`; by default true.
    public var includesTokenType = true
    /// Whether token responses contain `scope`, which the reference page does not list; by default false.
    public var includesScope = false
    /// Whether the token endpoint requires `client_id` in the form beside HTTP Basic, as Shopify documents it; by default true.
    public var requiresClientIDBesideBasic = true
    /// The response to a silent login (`prompt=none`) if no buyer, or another buyer than that of `login_hint`, is signed in.
    public var silentLoginRefusal = SilentLoginRefusal.error
    /// The registered clients.
    public var clients: [SandboxShopifyClient] = [.confidential, .publicMobile, .publicWeb, .app]

    /// A configuration with the defaults.
    public init() {}
}
