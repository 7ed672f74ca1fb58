/// An HTTP request method (RFC 9110 section 9).
public struct HTTPMethod: RawRepresentable, Sendable, Hashable {
    /// The method as it is sent; methods are case-sensitive.
    public let rawValue: String

    /// Creates a method from its name, without a check.
    ///
    /// ``CurlTransport`` sends a request only if its method is a `token` (RFC 9110 section 5.6.2) of 1 to 32 characters.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The method `GET`.
    public static let get = HTTPMethod(rawValue: "GET")
    /// The method `POST`.
    public static let post = HTTPMethod(rawValue: "POST")
    /// The method `PUT`.
    public static let put = HTTPMethod(rawValue: "PUT")
    /// The method `PATCH`.
    public static let patch = HTTPMethod(rawValue: "PATCH")
    /// The method `DELETE`.
    public static let delete = HTTPMethod(rawValue: "DELETE")
    /// The method `HEAD`.
    public static let head = HTTPMethod(rawValue: "HEAD")
}

extension HTTPMethod: CustomStringConvertible {
    /// The method's name.
    public var description: String { rawValue }
}
