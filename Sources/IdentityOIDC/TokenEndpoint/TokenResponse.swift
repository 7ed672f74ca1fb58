package import FoundationEssentials
internal import IdentityHTTP
package import IdentityKit

/// A successful token response (RFC 6749 section 5.1, OpenID Connect Core section 3.1.3.3); its ID token is not validated yet.
package struct TokenResponse: Sendable {
    package var accessToken: Secret
    package var tokenType: String
    package var lifetime: TimeInterval?
    package var refreshToken: Secret?
    package var idToken: Secret?
    /// The granted scopes; nil if the response has no `scope`.
    package var scopes: [String]?
    /// The scopes of the refresh token; empty if the response has no `refresh_token_scope`.
    package var refreshTokenScopes: [String] = []

    private static let maximumScopeBytes = 16_384

    /// Reads the JSON object of a token response.
    ///
    /// If a DPoP proof was sent (`usesDPoP`), the tokens must be bound to its key (RFC 9449 section 5), unless `acceptsUnboundTokens` is
    /// true. If `isRefresh` is true, a missing or invalid `expires_in` is never an error: the error would lose the new refresh token,
    /// although the provider may have invalidated the old refresh token.
    package init(
        _ object: JSONObject,
        settings: OpenIDQuirkSettings = OpenIDQuirkSettings(),
        usesDPoP: Bool = false,
        acceptsUnboundTokens: Bool = false,
        isRefresh: Bool = false
    ) throws(IdentityError) {
        func text(_ name: String) throws(IdentityError) -> String? {
            guard let value = object[name], !value.isNull else { return nil }
            guard let text = value.string, Self.isSound(text) else { throw Self.invalid(name) }
            return text
        }
        guard let accessToken = try text("access_token") else { throw Self.invalid("access_token") }
        self.accessToken = Secret(accessToken)
        let type = try text("token_type")
        guard type != nil || !settings.requiresTokenType else { throw Self.invalid("token_type") }
        tokenType = type ?? "Bearer"
        let isBound = Self.isBound(tokenType)
        let isBearer = tokenType.utf8.elementsEqual("bearer".utf8, by: { ($0 | 0x20) == $1 })
        guard isBearer || isBound && usesDPoP else { throw Self.invalid("token_type") }
        guard isBound || !usesDPoP || acceptsUnboundTokens else { throw Self.unbound }
        let expiresIn = object["expires_in"].flatMap { $0.isNull ? nil : $0 }
        lifetime = Self.lifetime(expiresIn)
        let isOmitted = expiresIn == nil && !settings.requiresLifetime
        guard lifetime != nil || isOmitted || isRefresh else { throw Self.invalid("expires_in") }
        // Some providers send an empty text for a token that they do not issue.
        func optional(_ name: String) throws(IdentityError) -> Secret? {
            object[name]?.string?.isEmpty == true ? nil : try text(name).map { Secret($0) }
        }
        refreshToken = try optional("refresh_token")
        idToken = try optional("id_token")
        if let scope = object["scope"], !scope.isNull {
            guard let list = scope.string, list.utf8.count <= Self.maximumScopeBytes else {
                throw Self.invalid("scope")
            }
            scopes = Self.scopes(list, separators: settings.additionalScopeSeparators)
        }
        if let list = object["refresh_token_scope"]?.string, list.utf8.count <= Self.maximumScopeBytes {
            refreshTokenScopes = Self.scopes(list, separators: settings.additionalScopeSeparators)
        }
    }

    /// Whether a text may be a token: not empty, at most 64 KiB, without ASCII control characters.
    static func isSound(_ text: String) -> Bool {
        let bytes = text.utf8.span
        guard (1...65_536).contains(bytes.count) else { return false }
        var index = JSONText.firstSpecialByte(in: bytes, from: 0, or: 0x7F)
        while index < bytes.count, bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "\\") {
            index = JSONText.firstSpecialByte(in: bytes, from: index + 1, or: 0x7F)
        }
        return index == bytes.count
    }

    /// Whether the token type is DPoP; types are compared without case (RFC 6749 section 5.1).
    package static func isBound(_ tokenType: String) -> Bool {
        tokenType.utf8.elementsEqual("dpop".utf8, by: { ($0 | 0x20) == $1 })
    }

    private static var unbound: IdentityError {
        IdentityError(
            .rejected,
            .tokenUnbound,
            "The provider issued a bearer token although a DPoP proof was sent.",
            hint:
                "Ask the provider to bind this client's tokens to its DPoP key. During a migration, set acceptsUnboundTokens to true: "
                + "logins then accept bearer tokens. A refresh of bound tokens never accepts bearer tokens.",
            reference: "RFC 9449 section 5"
        )
    }

    package static func scopes(_ list: String, separators: [UInt8] = []) -> [String] {
        let bytes = list.utf8.span
        var scopes: [String] = []
        scopes.reserveCapacity(4)
        var start = 0
        for index in 0...bytes.count {
            guard index == bytes.count || bytes[index] == UInt8(ascii: " ") || separators.contains(bytes[index])
            else { continue }
            if start < index {
                let scope = bytes.extracting(start..<index)
                scopes.append(unsafe scope.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) })
            }
            start = index + 1
        }
        return scopes
    }

    /// A lifetime in seconds, of more than zero seconds and at most ten years; nil for any other value.
    package static func lifetime(_ value: JSONValue?) -> TimeInterval? {
        seconds(value).flatMap { $0 > 0 && $0 <= 10 * 366 * 86_400 ? $0 : nil }
    }

    /// A number of seconds, which some providers send as a string of digits; nil for any other value.
    static func seconds(_ value: JSONValue?) -> Double? {
        switch value {
        case .number(let number): number.double
        case .string(let text): DeltaSeconds.parse(text).map(Double.init)
        default: nil
        }
    }

    private static func invalid(_ member: String) -> IdentityError {
        ProviderEndpoint.token.unusable(
            "is invalid: its member \(member) is missing or has an invalid value",
            reference: "RFC 6749 section 5.1"
        )
    }
}

extension TokenResponse: Redacted {
    package var description: String { "TokenResponse(<redacted>)" }
}
