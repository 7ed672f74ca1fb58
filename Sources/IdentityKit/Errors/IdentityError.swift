public import FoundationEssentials

/// The error that the methods of this SDK throw.
///
/// Some basic parts throw errors of other types: for example, an HTTP transport throws `HTTPTransportError`, and the JSON parser throws
/// ``JSONError``.
///
/// Decide by ``kind`` what the program does, and by ``code`` what it tells the user. ``message`` and ``hint`` never contain a token
/// or a secret. They contain no text from a provider except short values, such as an issuer or the name of an algorithm. The provider's
/// own text is in ``providerResponse``: escape this text before you show it.
///
/// ```swift
/// do {
///     try await placeOrder(with: sessions.tokens(for: sessionID))
/// } catch let error as IdentityError {
///     switch error.kind {
///     case .retryLater: respond(503, retryAfter: error.retryAfter)
///     case .signInAgain: redirectToLogin()
///     case .configuration, .rejected, .cancelled: log.error("\(error)")
///     }
/// }
/// ```
public struct IdentityError: Error, Sendable {
    /// The kind of an error, by which a program decides what to do.
    public enum Kind: String, Sendable, CaseIterable {
        /// The same call may succeed later.
        ///
        /// The error does not sign a buyer out. If a login failed, start the login again. After ``IdentityError/Code/outcomeUnknown``,
        /// check the effect of the request before you repeat it.
        case retryLater = "retry_later"
        /// The buyer has to sign in again.
        case signInAgain = "sign_in_again"
        /// The operator has to change something: the configuration, the registration at the provider, a key or a file.
        case configuration = "configuration"
        /// The SDK or a server rejected an input or a response; a repetition with the same input usually fails again.
        case rejected = "rejected"
        /// The buyer or the caller cancelled the operation.
        case cancelled = "cancelled"
    }

    /// A stable identifier of what happened; later versions may add codes.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code as text, in snake case.
        public let rawValue: String

        /// Creates a code with the given text.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The code as text.
        public var description: String { rawValue }
    }

    /// The text of a provider's error response, limited in length; escape it before you show it.
    public struct ProviderResponse: Sendable, Equatable {
        /// The OAuth `error` (RFC 6749 sections 4.1.2.1 and 5.2), or the provider's own error code.
        ///
        /// If the SDK refuses metadata or a token, the property may contain the refused value, such as a host, an issuer or the audiences.
        public var error: String?
        /// The OAuth `error_description`.
        public var errorDescription: String?
        /// The OAuth `error_uri`.
        public var errorURI: String?
        /// The HTTP status; nil if it is not known, for example for an error in a callback.
        public var status: Int?
        /// The provider's request or trace id, with which the provider's support team can find the request.
        public var traceID: String?

        /// Creates a value; each text is cut to 500 Unicode scalars.
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

        /// Cuts at 500 scalars and not at 500 characters, because one character may contain any number of combining marks.
        private static func cut(_ text: String) -> String {
            String(String.UnicodeScalarView(text.unicodeScalars.prefix(500)))
        }
    }

    /// The kind, by which the program decides what to do.
    public let kind: Kind
    /// The code of the failure, for programs.
    public let code: Code
    /// A sentence that says what failed, and that is safe to log.
    public let message: String
    /// An instruction that says what an operator or developer should do next.
    public let hint: String?
    /// The section of the specification, or the provider's page, that describes the failed request or requires the failed check.
    public let reference: String?
    /// The id that all errors and events of one operation share.
    public let correlationID: String
    /// How long to wait before the next attempt, if the provider said so or if the SDK makes a pause after failures; otherwise nil.
    public let retryAfter: Duration?
    /// The provider's error response, or a value that the SDK refused; nil if the error has neither of them.
    public var providerResponse: ProviderResponse? { sharedResponse?.value }
    /// A reference, because the members of a response would make every error much larger, and most errors have no response.
    private let sharedResponse: Shared<ProviderResponse>?
    /// Whether an attack on this login, session or logout is possible; if so, alert an operator, but still decide by ``kind`` what to do.
    ///
    /// True, for example, for a callback of another login, browser or provider, for an unknown or used `state`, for a forged or used logout
    /// token, for an ID token with a wrong `nonce`, and for a refresh whose response belongs to another login. False if the buyer cancels,
    /// and if a browser only repeats its own callback at the routes of `IdentityWeb`.
    public private(set) var isAttackSuspected: Bool
    /// The error that caused this one.
    public let cause: (any Error)?

    /// Creates an error with the correlation id of the running operation, or with a new id if no operation runs.
    public init(
        _ kind: Kind,
        _ code: Code,
        _ message: String,
        hint: String? = nil,
        reference: String? = nil,
        retryAfter: Duration? = nil,
        providerResponse: ProviderResponse? = nil,
        isAttackSuspected: Bool = false,
        cause: (any Error)? = nil
    ) {
        self.kind = kind
        self.code = code
        self.message = message
        self.hint = hint
        self.reference = reference
        self.retryAfter = retryAfter
        sharedResponse = providerResponse.map { Shared($0) }
        self.isAttackSuspected = isAttackSuspected
        self.cause = cause
        correlationID = Correlation.current ?? Correlation.makeID()
    }

    package init(
        configuration message: String,
        hint: String,
        reference: String? = nil,
        providerResponse: ProviderResponse? = nil,
        cause: (any Error)? = nil
    ) {
        self.init(
            .configuration,
            .configurationInvalid,
            message,
            hint: hint,
            reference: reference,
            providerResponse: providerResponse,
            cause: cause
        )
    }

    package init(storeCorrupt message: String, hint: String, cause: (any Error)? = nil) {
        self.init(.configuration, .storeCorrupt, message, hint: hint, cause: cause)
    }

    package init(unsupported message: String, hint: String, reference: String? = nil) {
        self.init(.configuration, .unsupportedByProvider, message, hint: hint, reference: reference)
    }

    /// A copy in which the given values replace the values of this error, with the correlation id of the running operation.
    package func recast(
        as kind: Kind? = nil,
        code: Code? = nil,
        message: String? = nil,
        hint: String? = nil,
        retryAfter: Duration? = nil,
        answering providerResponse: ProviderResponse? = nil
    ) -> IdentityError {
        IdentityError(
            kind ?? self.kind,
            code ?? self.code,
            message ?? self.message,
            hint: hint ?? self.hint,
            reference: reference,
            retryAfter: retryAfter ?? self.retryAfter,
            providerResponse: providerResponse ?? self.providerResponse,
            isAttackSuspected: isAttackSuspected,
            cause: cause
        )
    }

    package var suspectingAttack: IdentityError {
        var error = self
        error.isAttackSuspected = true
        return error
    }
}

extension IdentityError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Message, hint, kind, code, correlation id and suspicion of an attack, without ``providerResponse``.
    public var description: String {
        let advice = hint.map { " \($0)" } ?? ""
        let suspicion = isAttackSuspected ? ", an attack is suspected" : ""
        return "\(message)\(advice) [\(kind.rawValue)/\(code.rawValue)\(suspicion), correlation id \(correlationID)]"
    }
    /// The same as ``description``, followed by the cause if the error has a cause.
    public var debugDescription: String { description + (cause.map { ", because: \(String(reflecting: $0))" } ?? "") }
    /// Shows ``description``, the reference, `retryAfter`, the redacted ``providerResponse`` and the cause.
    public var customMirror: Mirror {
        var children: [(label: String?, value: Any)] = [("error", description)]
        if let reference { children.append(("reference", reference)) }
        if let retryAfter { children.append(("retryAfter", retryAfter)) }
        if let providerResponse { children.append(("providerResponse", providerResponse)) }
        if let cause { children.append(("cause", cause)) }
        return Mirror(self, children: children, displayStyle: .struct)
    }
}

extension IdentityError.ProviderResponse: Redacted {
    /// The HTTP status, without the texts, which may repeat secrets of the request.
    public var description: String {
        "ProviderResponse(status: \(status.map { String($0) } ?? "none"), <redacted texts>)"
    }
}

extension IdentityError: LocalizedError {
    /// The same as ``message``; Foundation returns it as `localizedDescription` of a value of type `any Error`.
    public var errorDescription: String? { message }
    /// The same as ``hint``.
    public var recoverySuggestion: String? { hint }
    /// The same as ``message``; the code samples in Shopify's and Bolt's documentation read an error's text by this name.
    public var localizedDescription: String { message }
}
