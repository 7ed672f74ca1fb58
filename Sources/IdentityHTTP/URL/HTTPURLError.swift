/// The reason why a text is not a permitted URL.
public struct HTTPURLError: Error, Sendable, Hashable {
    /// The kind of error; it is not an enumeration, so that new codes do not break an app's code.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The stable name of the code.
        public let rawValue: String

        /// Creates a code from its stable name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The URL is longer than 8 KiB.
        public static let tooLong = Code(rawValue: "too_long")
        /// The text is not an absolute URL with the scheme `http` or `https`.
        public static let scheme = Code(rawValue: "scheme")
        /// The URL has a byte that RFC 3986 does not permit, or an invalid percent escape.
        public static let character = Code(rawValue: "character")
        /// The URL has user information before the host.
        public static let userInformation = Code(rawValue: "user_information")
        /// The URL has a fragment.
        public static let fragment = Code(rawValue: "fragment")
        /// The host is not a registered name, an IPv4 address or an IPv6 literal.
        public static let host = Code(rawValue: "host")
        /// The port is not a number from 1 to 65535.
        public static let port = Code(rawValue: "port")
    }

    /// The kind of error.
    public let code: Code
    /// A sentence about the problem, without the text of the URL.
    public let message: String

    /// Creates an error.
    public init(code: Code, message: String) {
        self.code = code
        self.message = message
    }
}

extension HTTPURLError: CustomStringConvertible {
    /// The code and the message.
    public var description: String {
        "\(code.rawValue): \(message)"
    }
}
