/// The browser that sent a buyer's request: its IP address and its user agent.
///
/// Both values are personal data. The SDK records them only for an operation in ``scope(_:)``. The routes of `IdentityWeb` make this call
/// with the details that the app permits.
///
/// ```swift
/// let browser = BuyerBrowser(address: address, userAgent: request.headers["User-Agent"])
/// let completed = try await browser.scope {
///     try await sessions.complete(callback, browserBinding: binding, provider: "shopify")
/// }
/// ```
public struct BuyerBrowser: Sendable, Equatable {
    @TaskLocal static var current: BuyerBrowser?

    /// The browser's IP address, reduced to at most 256 bytes of printable ASCII; nil if it is missing or nothing remains.
    public let address: String?
    /// The `User-Agent` of the request, reduced to at most 256 bytes of printable ASCII; nil if it is missing or nothing remains.
    public let userAgent: String?

    /// Creates a description of the browser that sent a request.
    public init(address: String? = nil, userAgent: String? = nil) {
        self.address = address.flatMap(Self.printable)
        self.userAgent = userAgent.flatMap(Self.printable)
    }

    /// Whether both ``address`` and ``userAgent`` are nil.
    public var isEmpty: Bool { address == nil && userAgent == nil }

    /// Runs an operation that this browser requested, such as a sign-in.
    ///
    /// The events of the sign-in contain the browser, and the store keeps the browser with the new session.
    public func scope<R>(_ body: () async throws -> R) async rethrows -> R {
        try await Self.$current.withValue(isEmpty ? nil : self, operation: body)
    }

    /// Bytes other than printable ASCII, such as line breaks, could forge a line of a log.
    private static func printable(_ text: String) -> String? {
        let bytes = text.utf8.lazy.filter { (0x20..<0x7F).contains($0) }.prefix(256)
        return bytes.isEmpty ? nil : String(decoding: Array(bytes), as: UTF8.self)
    }
}

extension BuyerBrowser: Redacted {
    /// A constant text without personal data.
    public var description: String { "BuyerBrowser(<private>)" }
}
