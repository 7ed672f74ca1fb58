/// The reason why a text is not a permitted URL.
public struct HTTPURLError: Error, Sendable, Hashable {
    /// The kind of error; open, so that new codes do not break callers.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The stable name of the code.
        public let rawValue: String

        /// Makes a code from its stable name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Longer than 8 KiB.
        public static let tooLong = Code(rawValue: "too_long")
        /// Not an absolute URL with the scheme `http` or `https`.
        public static let scheme = Code(rawValue: "scheme")
        /// A byte that RFC 3986 does not permit, or an invalid percent escape.
        public static let character = Code(rawValue: "character")
        /// User information before the host.
        public static let userInformation = Code(rawValue: "user_information")
        /// A fragment.
        public static let fragment = Code(rawValue: "fragment")
        /// A host that is not a registered name, IPv4 or IPv6 literal.
        public static let host = Code(rawValue: "host")
        /// A port that is not 1 to 65535.
        public static let port = Code(rawValue: "port")
    }

    /// The kind of error.
    public let code: Code
    /// A sentence that does not contain the text.
    public let message: String

    /// Makes an error.
    public init(code: Code, message: String) {
        self.code = code
        self.message = message
    }
}

extension HTTPURLError: CustomStringConvertible {
    /// The code and the sentence.
    public var description: String {
        "\(code.rawValue): \(message)"
    }
}
