/// Everything that this SDK throws at its users: what happened, whose fault it is, what to do.
///
/// Branch on ``kind`` to decide and on ``code`` to explain. Neither ``message`` nor ``hint`` ever holds a token, a secret or a
/// text that a provider sent; what the provider said is in ``providerAnswer``, to be treated as foreign text.
public struct IdentityError: Error, Sendable {
    /// What a program should do about an error.
    public enum Kind: String, Sendable, CaseIterable {
        /// The same call may work later. A session is still signed in.
        case retryLater = "retry_later"
        /// Only a new login by the buyer helps.
        case signInAgain = "sign_in_again"
        /// The operator has to change something: configuration, registration at the provider, key, file.
        case configuration = "configuration"
        /// What came from outside was refused, by us or by the provider. Repeating it is no use.
        case rejected = "rejected"
        /// The buyer or the caller gave up.
        case cancelled = "cancelled"
    }

    /// What happened, stable over versions; new codes may appear at any time.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code as text, words joined by underscores.
        public let rawValue: String

        /// A code with the given text.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The code as text.
        public var description: String { rawValue }
    }

    /// What a provider said, bounded in length; foreign text that must be escaped before it is shown.
    public struct ProviderAnswer: Sendable, Equatable {
        /// The OAuth `error` (RFC 6749 sections 4.1.2.1 and 5.2), or a provider's own code.
        public var error: String?
        /// The OAuth `error_description`.
        public var errorDescription: String?
        /// The OAuth `error_uri`.
        public var errorURI: String?
        /// The HTTP status, where there was one.
        public var status: Int?
        /// The provider's own request or trace id, for its support.
        public var traceID: String?

        /// Creates an answer; texts are cut at 500 characters.
        public init(
            error: String? = nil,
            errorDescription: String? = nil,
            errorURI: String? = nil,
            status: Int? = nil,
            traceID: String? = nil
        ) {
            self.error = error.map { Self.cut($0) }
            self.errorDescription = errorDescription.map { Self.cut($0) }
            self.errorURI = errorURI.map { Self.cut($0) }
            self.status = status
            self.traceID = traceID.map { Self.cut($0) }
        }

        /// Counts scalars: one character may be a letter with a million accents.
        private static func cut(_ text: String) -> String {
            String(String.UnicodeScalarView(text.unicodeScalars.prefix(500)))
        }
    }

    /// What to do.
    public let kind: Kind
    /// What happened.
    public let code: Code
    /// What happened, in a sentence that is safe to log.
    public let message: String
    /// What to do about it, in a sentence for an operator or developer.
    public let hint: String?
    /// The section of a specification or provider page that the decision rests on.
    public let reference: String?
    /// The id shared by everything that belongs to one operation, errors and events alike.
    public let correlationID: String
    /// How long to wait before trying again, where the provider said so.
    public let retryAfter: Duration?
    /// What the provider said.
    public let providerAnswer: ProviderAnswer?
    /// The error underneath.
    public let cause: (any Error)?

    /// Creates an error; the correlation id is that of the running operation.
    public init(
        _ kind: Kind,
        _ code: Code,
        _ message: String,
        hint: String? = nil,
        reference: String? = nil,
        retryAfter: Duration? = nil,
        providerAnswer: ProviderAnswer? = nil,
        cause: (any Error)? = nil
    ) {
        self.kind = kind
        self.code = code
        self.message = message
        self.hint = hint
        self.reference = reference
        self.retryAfter = retryAfter
        self.providerAnswer = providerAnswer
        self.cause = cause
        correlationID = Correlation.current ?? Correlation.makeID()
    }

    /// The same error seen as another kind, for callers that know more.
    package func recast(
        as kind: Kind,
        code: Code? = nil,
        answering providerAnswer: ProviderAnswer? = nil
    ) -> IdentityError {
        IdentityError(
            kind,
            code ?? self.code,
            message,
            hint: hint,
            reference: reference,
            retryAfter: retryAfter,
            providerAnswer: providerAnswer ?? self.providerAnswer,
            cause: cause
        )
    }
}

extension IdentityError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Message, hint, code and correlation id; nothing that came from outside.
    public var description: String {
        let advice = hint.map { " \($0)" } ?? ""
        return "\(message)\(advice) [\(kind.rawValue)/\(code.rawValue), correlation id \(correlationID)]"
    }
    /// The same as ``description``, with the cause where there is one.
    public var debugDescription: String { description + (cause.map { ", because: \(String(reflecting: $0))" } ?? "") }
    /// What ``description`` says, the cause, and of the provider's answer what ``ProviderAnswer`` shows.
    public var customMirror: Mirror {
        var children: [(label: String?, value: Any)] = [("error", description)]
        if let reference { children.append(("reference", reference)) }
        if let retryAfter { children.append(("retryAfter", retryAfter)) }
        if let providerAnswer { children.append(("providerAnswer", providerAnswer)) }
        if let cause { children.append(("cause", cause)) }
        return Mirror(self, children: children, displayStyle: .struct)
    }
}

extension IdentityError.ProviderAnswer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status; none of the texts, which are foreign and may repeat what was sent.
    public var description: String { "ProviderAnswer(status: \(status.map { String($0) } ?? "none"), <foreign texts>)" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
