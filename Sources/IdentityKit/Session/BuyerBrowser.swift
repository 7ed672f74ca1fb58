/// The browser that sent a buyer's request: its IP address and its user agent.
///
/// The address and the user agent are personal data. The events of a sign-in and the buyer's list of sign-ins contain them only if the
/// app passes them:
///
/// ```swift
/// let browser = BuyerBrowser(address: address, userAgent: request.headers["User-Agent"])
/// let completed = try await browser.scope {
///     try await sessions.complete(callback, browserBinding: binding, provider: "shopify")
/// }
/// ```
public struct BuyerBrowser: Sendable, Equatable {
    /// The longest user agent that is kept, in bytes.
    private static let maximumBytes = 256

    @TaskLocal static var current: BuyerBrowser?

    /// The IP address from which the browser sent the request; nil if it is not known or the app does not permit its use.
    public let address: String?
    /// The `User-Agent` of the request, reduced to at most 256 bytes of printable ASCII.
    ///
    /// Nil if it is not known or the app does not permit its use.
    public let userAgent: String?

    /// Creates a description of the browser that sent a request.
    public init(address: String? = nil, userAgent: String? = nil) {
        self.address = address.flatMap(Self.printable)
        self.userAgent = userAgent.flatMap(Self.printable)
    }

    /// Whether nothing is known about the browser.
    public var isEmpty: Bool { address == nil && userAgent == nil }

    /// Runs an operation that this browser requested: the events of a sign-in carry the browser, and the sign-in's session stores it.
    public func scope<R>(_ body: () async throws -> R) async rethrows -> R {
        try await Self.$current.withValue(isEmpty ? nil : self, operation: body)
    }

    /// The first 256 bytes of printable ASCII, without the bytes that could forge a line of a log; nil if none remain.
    private static func printable(_ text: String) -> String? {
        let bytes = text.utf8.lazy.filter { (0x20..<0x7F).contains($0) }.prefix(maximumBytes)
        return bytes.isEmpty ? nil : String(decoding: Array(bytes), as: UTF8.self)
    }
}

extension BuyerBrowser: Redacted {
    /// A constant text without personal data.
    public var description: String { "BuyerBrowser(<private>)" }
}
