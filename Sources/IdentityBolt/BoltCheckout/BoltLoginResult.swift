public import IdentityKit
internal import IdentityOIDC

/// The outcome of a login, as in Bolt's SDK.
///
/// Printing, dumping or reflecting the value shows neither code nor verifier. Do not store the code: exchange it at once with
/// ``BoltAuthorizing/exchange(_:)``.
public enum BoltLoginResult: Sendable {
    /// The buyer signed in; `codeVerifier` is empty without PKCE, and `state` is empty if a phone app's result has no state.
    case completed(authorizationCode: String, codeVerifier: String, state: String)
    /// The login was cancelled, for example because the buyer closed the login page.
    case canceled
    /// The login failed.
    case failed(IdentityError)

    /// Reads the JSON that a phone app sends to its backend: `{"authorizationCode": …, "codeVerifier": …, "state": …}`.
    ///
    /// `authorizationCode` may be named `authCode`; `codeVerifier` and `state` may be missing.
    ///
    /// - Parameter json: The JSON text, at most 16 KiB.
    /// - Throws: `IdentityError` with code `callback_invalid` for any other text, and for values that are invalid or too long.
    public init(json: [UInt8]) throws(IdentityError) {
        guard let object = (try? JSONValue(parsing: json, limits: JSONLimits(maximumBytes: 16_384)))?.object else {
            throw Self.invalid("is not a valid JSON object with unique names, or is larger than 16 KiB")
        }
        func text(_ name: String) throws(IdentityError) -> String? {
            guard let value = object[name], !value.isNull else { return nil }
            guard let text = value.string else { throw Self.invalid("has a member \(name) that is not a string") }
            return text
        }
        try self.init(
            codes: [try text("authorizationCode"), try text("authCode")],
            codeVerifier: try text("codeVerifier"),
            state: try text("state")
        )
    }

    fileprivate init(codes: [String?], codeVerifier: String?, state: String?) throws(IdentityError) {
        let codes = codes.compactMap(\.self)
        guard codes.count == 1, let code = codes.first, !code.isEmpty else {
            throw Self.invalid("does not contain exactly one authorization code")
        }
        let verifier = codeVerifier ?? ""
        guard code.utf8.count <= 8192 else { throw Self.invalid("has an authorization code of more than 8192 bytes") }
        guard (state ?? "").utf8.count <= 1024 else { throw Self.invalid("has a state of more than 1024 bytes") }
        guard verifier.isEmpty || (try? PKCE.check(verifier)) != nil else {
            throw Self.invalid("has a codeVerifier that RFC 7636 does not permit")
        }
        self = .completed(authorizationCode: code, codeVerifier: verifier, state: state ?? "")
    }

    private static func invalid(_ problem: String) -> IdentityError {
        IdentityError(
            .rejected,
            .callbackInvalid,
            "The result of the login at Bolt \(problem).",
            hint:
                "Send the result of Bolt's SDK unchanged: authorizationCode (or authCode), codeVerifier and state, each as a JSON string.",
            reference: "help.bolt.com/developers/sdks/ios-swift/sso-login"
        )
    }

    func completedLogin() throws(IdentityError) -> (code: Secret, codeVerifier: Secret?, state: Secret) {
        switch self {
        case .completed(let code, let verifier, let state):
            guard !code.isEmpty else { throw Self.invalid("does not contain exactly one authorization code") }
            return (Secret(code), verifier.isEmpty ? nil : Secret(verifier), Secret(state))
        case .canceled:
            throw IdentityError(
                .cancelled,
                .cancelled,
                "The login at Bolt was cancelled.",
                hint: "Offer the login again.",
                reference: "help.bolt.com/developers/sdks/ios-swift/sso-login"
            )
        case .failed(let error): throw error
        }
    }
}

extension BoltLoginResult: Decodable {
    private enum Key: String, CodingKey {
        case authorizationCode, authCode, codeVerifier, state
    }

    /// Reads the same members as ``init(json:)``, from any decoder.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Key.self)
        func text(_ key: Key) throws -> String? { try members.decodeIfPresent(String.self, forKey: key) }
        try self.init(
            codes: [try text(.authorizationCode), try text(.authCode)],
            codeVerifier: try text(.codeVerifier),
            state: try text(.state)
        )
    }
}

extension BoltLoginResult: Redacted {
    /// The outcome, without code, verifier and state.
    public var description: String {
        switch self {
        case .completed: "completed"
        case .canceled: "canceled"
        case .failed(let error): "failed: \(error)"
        }
    }
}
