public import IdentityHTTP
internal import IdentityKit
public import ShopifyGraphQL

/// The URL of a checkout; a valid URL is a credential.
///
/// ``description`` does not show the URL, and the type is not `Codable`. So the URL does not get into logs and caches. Request the URL just
/// before the redirect, and use it once. An expired URL opens a guest checkout.
public struct CheckoutURL: Sendable {
    private let url: HTTPURL

    init(_ url: HTTPURL) {
        self.url = url
    }

    /// Returns the URL; redirect the buyer's browser at once, because the URL expires.
    public func reveal() -> HTTPURL { url }

    /// Returns the URL with one more query field, or the same URL if the query already has a field of that name.
    func adding(_ name: String, _ value: String) throws(HTTPURLError) -> CheckoutURL {
        let names = (url.query ?? "").split(separator: "&").map { $0.prefix { $0 != "=" } }
        guard !names.contains(where: { $0.isIdentical(to: name) }) else { return self }
        return CheckoutURL(try url.appending(queryFields: "\(name)=\(value)"))
    }
}

extension CheckoutURL: GraphQLReadable {
    /// Reads the URL.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        guard let url = try? HTTPURL(try node.text()) else { throw node.error("a URL") }
        self.init(url)
    }
}

extension CheckoutURL: Redacted {
    /// A constant text.
    public var description: String { "<checkout URL>" }
}
