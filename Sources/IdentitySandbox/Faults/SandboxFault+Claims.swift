internal import IdentityCrypto
public import IdentityKit

extension SandboxFault {
    /// Changes the ID token before the sandbox signs the token.
    ///
    /// `change` must not call the sandbox, because the sandbox holds a lock while it runs `change`.
    ///
    /// Plan this fault for ``SandboxEndpoint/token`` or, at SFCC, for ``SandboxEndpoint/tokenExchange``. At ``SandboxOpenID``, a fault for
    /// ``SandboxEndpoint/authorization`` changes the ID token of the authorization response. At other endpoints, the fault has no effect.
    public static func idToken(_ change: @escaping @Sendable (inout SandboxIDToken) -> Void) -> SandboxFault {
        SandboxFault(effects: [.idToken(change)])
    }

    /// Sets a claim of the ID token or, with nil, removes it.
    public static func claim(_ name: String, _ value: JSONValue?) -> SandboxFault {
        .idToken { $0.claims[name] = value }
    }

    /// Adds a number of seconds, which may be negative, to a time claim (`exp`, `iat`), if the claim is an integer.
    public static func shiftClaim(_ name: String, by seconds: Int) -> SandboxFault {
        .idToken { token in
            guard let value = token.claims[name]?.number?.integer else { return }
            let (sum, isTooLarge) = value.addingReportingOverflow(seconds)
            token.claims[name] = .integer(isTooLarge ? (seconds < 0 ? .min : .max) : sum)
        }
    }

    /// Sets a member of the ID token's header or, with nil, removes it.
    public static func tokenHeader(_ name: String, _ value: JSONValue?) -> SandboxFault {
        .idToken { $0.header[name] = value }
    }

    /// Sets a claim to this JSON text, which may be unusual or invalid, for example `1e300`, `01`, `NaN` or `{"a":`.
    public static func rawClaim(_ name: String, _ text: String) -> SandboxFault {
        .idToken { token in
            token.claims[name] = nil
            token.rawClaimMembers.append("\"\(name)\":\(text)")
        }
    }

    /// Adds a claim after all other claims; if the token already has a claim with this name, the claim occurs twice.
    ///
    /// - Parameters:
    ///   - name: The name of the claim.
    ///   - value: The value of the added claim.
    ///   - isEscaped: Whether the name of the added claim is written with `\u` escapes; the two names are then equal only after JSON
    ///     parsing.
    /// - Returns: The fault.
    public static func duplicateClaim(
        _ name: String,
        _ value: JSONValue,
        escaped isEscaped: Bool = false
    ) -> SandboxFault {
        .idToken { $0.rawClaimMembers.append(duplicate(name, value, isEscaped)) }
    }

    /// Adds a member at the end of the token's header; if the header already has a member with this name, the member occurs twice.
    public static func duplicateTokenHeader(
        _ name: String,
        _ value: JSONValue,
        escaped isEscaped: Bool = false
    ) -> SandboxFault {
        .idToken { $0.rawHeaderMembers.append(duplicate(name, value, isEscaped)) }
    }

    /// Sets `at_hash` to the hash of another access token than the one in the response.
    public static let foreignAccessTokenHash = SandboxFault.idToken { token in
        guard let digest = try? Digest.sha256(Array("another access token".utf8)) else { return }
        token.claims["at_hash"] = .string(Base64URL.encode(Array(digest.prefix(16))))
    }

    private static func duplicate(_ name: String, _ value: JSONValue, _ isEscaped: Bool) -> String {
        let text = isEscaped ? escaped(name) : name
        return "\"\(text)\":" + String(decoding: value.serialized, as: UTF8.self)
    }

    private static func escaped(_ name: String) -> String {
        name.utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}
