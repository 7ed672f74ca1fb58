internal import IdentityCrypto
package import IdentityKit

/// A JWS in compact serialization (RFC 7515 section 3.1), parsed but not verified; the payload may be any bytes.
package struct CompactJWS: Sendable {
    /// The `alg` of the header; the caller must compare it with the accepted algorithms before use.
    let algorithm: String
    let keyID: String?
    let type: String?
    let signingInput: [UInt8]
    package let payload: [UInt8]
    package let signature: [UInt8]

    static let maximumBytes = 32_768
}

extension CompactJWS {
    /// Parses a token; `name` is the token's name in errors.
    ///
    /// A token with `crit` or `b64` is refused, because this client supports no extension (RFC 7515 section 4.1.11, RFC 7797). Keys and
    /// URLs in the header (`jwk`, `jku`, `x5u`, `x5c`) are ignored.
    package init(parsing token: Secret, as name: String = "ID token") throws(IdentityError) {
        func malformed(_ problem: String) -> IdentityError { Self.malformed(name, problem) }
        guard token.count <= Self.maximumBytes else {
            throw Self.malformed(
                name,
                "is larger than 32 KiB",
                hint:
                    "At the provider, remove claims from the \(name), for example a list of groups. The \(name) was not used."
            )
        }
        var bytes = token.revealBytes()
        let dot = UInt8(ascii: ".")
        guard let first = bytes.firstIndex(of: dot, from: 0), let second = bytes.firstIndex(of: dot, from: first + 1),
            bytes.firstIndex(of: dot, from: second + 1) == nil
        else { throw malformed("does not have three parts") }
        guard let headerBytes = Base64URL.decode(bytes[..<first]),
            let payload = Base64URL.decode(bytes[(first + 1)..<second]),
            let signature = Base64URL.decode(bytes[(second + 1)...])
        else { throw malformed("is not canonical base64url") }
        bytes.removeLast(bytes.count - second)
        guard let header = try? JSONTape.parsing(headerBytes), header.entries[0].isKind(.object) else {
            throw malformed("has a header that is not a valid JSON object, or that repeats a member")
        }
        guard header.member("crit", of: 0) == nil, header.member("b64", of: 0) == nil else {
            throw malformed("uses an extension (crit or b64) that is not supported")
        }
        func text(_ name: String) throws(IdentityError) -> String? {
            guard let index = header.member(name, of: 0) else { return nil }
            guard header.entries[index].isText else { throw malformed("has a header whose \(name) is not a string") }
            return header.text(header.entries[index])
        }
        guard let algorithm = try text("alg") else { throw malformed("has no alg") }
        self.init(
            algorithm: algorithm,
            keyID: try text("kid"),
            type: try text("typ"),
            signingInput: bytes,
            payload: payload,
            signature: signature
        )
    }

    static func malformed(_ name: String, _ problem: String, hint: String? = nil) -> IdentityError {
        IdentityError(
            .rejected,
            .idTokenMalformed,
            "The \(name) \(problem).",
            hint: hint
                ?? "Check that the \(name) comes from the provider and is a signed JWT. If the provider encrypts the \(name), turn off "
                + "encryption for this client at the provider. The \(name) was not used.",
            reference: "RFC 7515 section 5.2"
        )
    }
}

extension CompactJWS: Redacted {
    package var description: String { "CompactJWS(<redacted>)" }
}
