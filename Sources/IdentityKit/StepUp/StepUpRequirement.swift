public import FoundationEssentials
internal import IdentityHTTP

/// What the login of a session's buyer must prove: a recent authentication, a stronger one, or both.
///
/// ```swift
/// // The app's own rule:
/// let started = try await sessions.beginStepUp(of: id, requiring: StepUpRequirement(maximumAge: .seconds(300)))
/// // A resource server's response (RFC 9470):
/// if let requirement = StepUpRequirement(challenges: response.headers.values(for: "WWW-Authenticate")) {
///     return try await sessions.beginStepUp(of: id, requiring: requirement)
/// }
/// ```
public struct StepUpRequirement: Sendable, Equatable {
    /// Whether the buyer has to authenticate now, even after a recent login (`prompt=login`).
    public var demandsLogin: Bool
    /// The longest time since the buyer authenticated, in whole seconds (`max_age`); nil means no limit.
    public var maximumAge: Duration?
    /// The accepted authentication contexts, in order of preference (`acr_values`); empty for any.
    public var authenticationContexts: [String]

    /// Creates a requirement; without arguments the buyer has to authenticate now.
    ///
    /// - Parameters:
    ///   - demandsLogin: Whether the buyer has to authenticate now; by default true if nothing else is required.
    ///   - maximumAge: The longest time since the buyer authenticated.
    ///   - authenticationContexts: The accepted values of `acr`.
    public init(demandsLogin: Bool? = nil, maximumAge: Duration? = nil, authenticationContexts: [String] = []) {
        self.demandsLogin = demandsLogin ?? (maximumAge == nil && authenticationContexts.isEmpty)
        self.maximumAge = maximumAge
        self.authenticationContexts = authenticationContexts
    }

    /// Reads the challenge of a resource server that wants a stronger or more recent login (RFC 9470 section 3).
    ///
    /// The result is nil without a challenge of the scheme Bearer or DPoP with the error `insufficient_user_authentication`. It is also nil
    /// if a header or a value of the challenge is not well-formed. At most 8 headers of 8 KiB, 16 contexts and an age of nine digits are
    /// accepted.
    ///
    /// - Parameter challenges: The values of all `WWW-Authenticate` headers of a response with status 401.
    public init?(challenges: [String]) {
        guard
            let challenge = AuthenticationChallenge.wellFormed(in: challenges)?.first(where: {
                $0.asksForStepUp && ["bearer", "dpop"].contains($0.scheme)
            })
        else { return nil }
        var contexts: [String] = []
        if let text = challenge["acr_values"] {
            guard let values = Self.contexts(text) else { return nil }
            contexts = values
        }
        var age: Duration?
        if let text = challenge["max_age"] {
            guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy(ASCII.isDigit),
                let seconds = Int(text)
            else { return nil }
            age = .seconds(seconds)
        }
        self.init(maximumAge: age, authenticationContexts: contexts)
    }

    /// Returns the values of `acr_values`; nil if there are more than 16, or if they are not separated by single spaces.
    ///
    /// Also nil if a value has a quotation mark, a backslash or a character that is not visible ASCII.
    private static func contexts(_ text: String) -> [String]? {
        let values = text.split(separator: " ", omittingEmptySubsequences: false)
        guard values.count <= 16, values.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isContextByte) }) else {
            return nil
        }
        return values.map(String.init)
    }

    /// Whether the `acr` of an ID token is one of the requested authentication contexts; true if no context was requested.
    func acceptsContext(of claims: IDTokenClaims?) -> Bool {
        guard !authenticationContexts.isEmpty else { return true }
        guard let context = claims?.authenticationContext else { return false }
        return authenticationContexts.contains { $0.isIdentical(to: context) }
    }

    private static func isContextByte(_ byte: UInt8) -> Bool {
        ASCII.isVisible(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}

extension Session {
    /// Whether the session's login already satisfies the requirement, so that no step-up is needed.
    ///
    /// False for a requirement with ``StepUpRequirement/demandsLogin``, and for a session that needs a login (``needsLogin``). The clocks
    /// of app and provider may differ by a minute.
    public func satisfies(_ requirement: StepUpRequirement, at now: Date) -> Bool {
        guard !requirement.demandsLogin, !needsLogin else { return false }
        guard requirement.acceptsContext(of: claims) else { return false }
        guard let maximumAge = requirement.maximumAge else { return true }
        guard let time = authenticatedAt else { return false }
        let age = now.timeIntervalSince(time)
        // After the clock was set back, an old login may seem to be in the future. Such a login must not count as recent.
        return age >= -ClockTolerance.seconds && age <= maximumAge.timeInterval + ClockTolerance.seconds
    }
}

extension IdentityError {
    /// What a resource server requires of the login, to pass to ``SessionManager/beginStepUp(of:requiring:options:)``.
    ///
    /// Nil if the server's challenge could not be read, or if the code is not ``IdentityError/Code/insufficientUserAuthentication``.
    public var stepUpRequirement: StepUpRequirement? { (cause as? StepUpChallenge)?.requirement }
}

/// A resource server's challenge (RFC 9470), as the cause of an error.
struct StepUpChallenge: Error {
    let requirement: StepUpRequirement
}
