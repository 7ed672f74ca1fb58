public import IdentityHTTP
public import ShopifyGraphQL

/// Where the buyer's browser goes to pay; while it lives it is a credential.
///
/// It prints nothing and does not encode, so that it ends in no log and no cache: fetch it late, use it once. A stale one is
/// no error at Shopify, it opens a guest checkout.
public struct CheckoutURL: Sendable {
    private let url: HTTPURL

    init(_ url: HTTPURL) {
        self.url = url
    }

    /// The URL, to redirect the buyer's browser to now.
    public func reveal() -> HTTPURL { url }

    /// The same URL with a field added behind its query, unless the query has a field of that name.
    func adding(_ name: String, _ value: String) throws(HTTPURLError) -> CheckoutURL {
        let names = (url.query ?? "").split(separator: "&").map { $0.prefix { $0 != "=" } }
        guard !names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else { return self }
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

extension CheckoutURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always the same words.
    public var description: String { "<checkout URL>" }
    /// Always the same words.
    public var debugDescription: String { description }
    /// Shows no children, so that `dump` finds nothing either.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
