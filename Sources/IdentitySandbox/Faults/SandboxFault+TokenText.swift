internal import IdentityKit

/// Faults that change the text of an ID token into one that some parsers accept and others refuse.
extension SandboxFault {
    /// Changes the signed text of the ID token before the sandbox sends it.
    ///
    /// `rewrite` must not call the sandbox, because the sandbox holds a lock while it runs `rewrite`.
    public static func idTokenText(_ rewrite: @escaping @Sendable (_ token: String) -> String) -> SandboxFault {
        .idToken { $0.rewrites.append(rewrite) }
    }

    /// A part of a token in compact form.
    public enum TokenPart: Int, Sendable, CaseIterable {
        /// The header.
        case header
        /// The claims.
        case payload
        /// The signature.
        case signature
    }

    /// Changes one part of the ID token and keeps the other two.
    ///
    /// `change` must not call the sandbox, because the sandbox holds a lock while it runs `change`.
    public static func tokenPart(
        _ part: TokenPart,
        _ change: @escaping @Sendable (String) -> String
    ) -> SandboxFault {
        .idTokenText { token in
            var parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            if parts.indices.contains(part.rawValue) { parts[part.rawValue] = change(parts[part.rawValue]) }
            return parts.joined(separator: ".")
        }
    }

    /// Encodes the unchanged signature bytes as another text: in the last character, an unused bit of base64url is set.
    ///
    /// The fault does not change a signature whose length in bytes is a multiple of three: its text has no unused bits.
    public static let nonCanonicalTail = SandboxFault.tokenPart(.signature) { text in
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        guard text.utf8.count % 4 != 0, let last = text.utf8.last, let index = alphabet.firstIndex(of: last) else {
            return text
        }
        return text.dropLast() + String(decoding: [alphabet[index | 1]], as: UTF8.self)
    }

    /// Appends the correct base64 padding to a part of the ID token; a part that needs no padding stays unchanged.
    public static func padded(_ part: TokenPart) -> SandboxFault {
        .tokenPart(part) { $0 + String(repeating: "=", count: (4 - $0.utf8.count % 4) % 4) }
    }

    /// Sends the ID token in the flattened or the general JWS JSON serialization (RFC 7515 section 7.2).
    public static func jsonSerialization(isFlattened: Bool = true) -> SandboxFault {
        .idTokenText { token in
            let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 3 else { return token }
            var object: JSONObject = ["payload": .string(parts[1])]
            let signature: JSONObject = ["protected": .string(parts[0]), "signature": .string(parts[2])]
            if isFlattened {
                for member in signature.members { object[member.name] = member.value }
            } else {
                object["signatures"] = .array([.object(signature)])
            }
            return String(decoding: JSONValue.object(object).serialized, as: UTF8.self)
        }
    }

    /// Sends the valid ID token as the payload of another token, whose header has `cty` (RFC 7519 section 5.2).
    public static func nested(signedBy pair: SandboxKeyPair) -> SandboxFault {
        .idTokenText { pair.signed(["alg": .string(pair.algorithm), "cty": .string("JWT")], Array($0.utf8)) }
    }

    /// Sends a text of `count` dots as the ID token (CVE-2025-22868, CVE-2025-27144).
    public static func dots(_ count: Int) -> SandboxFault {
        .idTokenText { _ in String(repeating: ".", count: max(0, count)) }
    }
}
