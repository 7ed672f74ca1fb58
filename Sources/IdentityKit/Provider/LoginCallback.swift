internal import IdentityHTTP

/// The untrusted parameters that the provider sent back through the buyer's browser.
///
/// The parser splits bytes, not characters, because a combining character could hide a separator. Repeated parameters are kept, so that
/// ``value(of:)`` can refuse them.
public struct LoginCallback: Sendable {
    package let fields: [(name: String, value: Secret)]
    /// The address at which the callback arrived; nil if the callback was created without a URL, for example from a form body.
    package private(set) var address: CallbackAddress?

    /// Parses the callback's URL, which the browser requested: an absolute URL, or a path with its query.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/callbackInvalid`` when the query is missing, malformed, larger than
    ///   16 KiB, or has more than 64 parameters.
    public init(url: String) throws(IdentityError) {
        // A search in an array is much faster than in the UTF-8 view of a `String`.
        let bytes = Array(url.utf8)
        let end = bytes.firstIndex(of: UInt8(ascii: "#"), from: 0) ?? bytes.count
        guard let mark = bytes.firstIndex(of: UInt8(ascii: "?"), from: 0), mark < end else {
            throw Self.invalid("The callback URL has no query.")
        }
        self = try LoginCallback(form: Array(bytes[(mark + 1)..<end]))
        address = CallbackAddress(url: url)
    }

    /// Parses the callback from a form body (`response_mode=form_post`) or a bare query.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/callbackInvalid`` when the parameters are malformed, larger than 16 KiB,
    ///   or more than 64.
    public init(form bytes: [UInt8]) throws(IdentityError) {
        guard bytes.count <= 16_384 else { throw Self.invalid("The callback is larger than 16 KiB.") }
        guard let decoded = FormEncoding.decode(bytes), decoded.count <= 64 else {
            throw Self.invalid("The callback's parameters are malformed, or there are more than 64.")
        }
        fields = decoded.map { ($0.name, Secret($0.value)) }
    }

    init(_ presented: PresentedCallback) throws(IdentityError) {
        if let form = presented.form {
            try self.init(form: form)
        } else {
            try self.init(url: presented.url)
        }
    }

    init(posted fields: [(name: String, value: Secret)]) {
        self.fields = fields
    }

    /// ``StartedLogin/attemptID`` of the login to which the `state` belongs; nil, for example, if the `state` is missing or repeated.
    public var attemptID: String? {
        guard let state = try? state() else { return nil }
        return try? LoginAttempt.id(for: state)
    }

    /// The `state`, by which ``SessionManager`` finds the login; throws if the `state` is missing, empty or repeated.
    package func state() throws(IdentityError) -> Secret {
        if let state = try value(of: "state"), !state.isEmpty { return state }
        throw IdentityError(
            .rejected,
            .stateInvalid,
            "The state of the callback is missing or empty.",
            hint: """
                Start the login again. If it succeeds, the first callback was forged or truncated. If it fails too, let the app pass all \
                parameters of the callback unchanged.
                """,
            reference: "RFC 6749 section 4.1.2",
            isAttackSuspected: true
        )
    }

    /// The value of a parameter, whose name is compared as bytes; nil when the parameter is absent.
    ///
    /// - Throws: ``IdentityError`` when the parameter is repeated (RFC 6749 section 3.1).
    public func value(of name: String) throws(IdentityError) -> Secret? {
        var found: Secret?
        for field in fields where field.name.isIdentical(to: name) {
            guard found == nil else {
                throw Self.invalid("The callback repeats the parameter \(name).", reference: "RFC 6749 section 3.1")
            }
            found = field.value
        }
        return found
    }

    private static func invalid(
        _ message: String,
        reference: String = "RFC 6749 section 4.1.2"
    ) -> IdentityError {
        IdentityError(
            .rejected,
            .callbackInvalid,
            message,
            hint: """
                Start the login again. Pass the callback exactly as the browser sent it: the URL with its query, or the posted body.
                """,
            reference: reference
        )
    }
}

extension LoginCallback: Redacted {
    /// The number of parameters, without their untrusted names and values.
    public var description: String { "LoginCallback(\(fields.count) parameters)" }
}
