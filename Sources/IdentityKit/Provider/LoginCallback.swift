internal import IdentityHTTP

/// What the provider sent back through the buyer's browser: parameters, not yet trusted.
///
/// The parser splits bytes, so that no combining character hides a separator, and keeps repeated parameters for the check
/// that refuses them.
public struct LoginCallback: Sendable {
    /// The decoded parameters in order.
    package let fields: [(name: String, value: Secret)]
    /// Where it arrived; nil where only its fields are known, which do not tell whether they were posted.
    package private(set) var place: CallbackPlace?

    /// Reads the callback from its URL, a whole one or a path with a query.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/callbackInvalid`` for text that is too large or no query.
    public init(url: String) throws(IdentityError) {
        let bytes = Array(url.utf8)
        guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else {
            throw Self.invalid("The callback URL has no query.")
        }
        let end = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.count
        guard mark < end else { throw Self.invalid("The callback URL has no query.") }
        self = try LoginCallback(form: Array(bytes[(mark + 1)..<end]))
        place = CallbackPlace(url: url)
    }

    /// Reads the callback from a form body (`response_mode=form_post`) or a bare query.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/callbackInvalid``.
    public init(form bytes: [UInt8]) throws(IdentityError) {
        guard bytes.count <= 16_384 else { throw Self.invalid("The callback is larger than 16 KiB.") }
        guard let decoded = FormEncoding.decode(bytes), decoded.count <= 64 else {
            throw Self.invalid("The callback's query is not a well-formed form.")
        }
        fields = decoded.map { ($0.name, Secret($0.value)) }
    }

    /// The value of a parameter, nil when it is absent.
    ///
    /// - Throws: ``IdentityError`` when it is there more than once (RFC 6749 section 3.1).
    public func value(of name: String) throws(IdentityError) -> Secret? {
        let found = fields.filter { $0.name.isIdentical(to: name) }
        guard found.count <= 1 else { throw Self.invalid("The callback repeats the parameter \(name).") }
        return found.first?.value
    }

    private static func invalid(_ message: String) -> IdentityError {
        IdentityError(
            .rejected,
            .callbackInvalid,
            message,
            hint: "Start the login again.",
            reference: "RFC 6749 section 4.1.2"
        )
    }
}

extension LoginCallback: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// How many parameters there are: names come from outside too, and may be anything.
    public var description: String { "LoginCallback(\(fields.count) parameters)" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
