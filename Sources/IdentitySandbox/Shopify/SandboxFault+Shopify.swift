internal import IdentityKit

extension SandboxResponse {
    /// The response to a public web client without a registered `Origin` header.
    static let originMissing = SandboxResponse(
        status: 401,
        headers: [
            ("WWW-Authenticate", "Bearer realm=\"customer accounts\", error=\"invalid_token\""),
            ("Content-Type", "application/json"),
        ]
    )
}

/// Faults of the sandbox's Shopify.
extension SandboxFault {
    /// 401 with an empty error: an upstream service of Shopify failed, and the tokens are still valid.
    public static let shopifyUpstreamFailure = SandboxFault.answer(
        .json(["error": .string(""), "error_description": .string("Access token request error.")], status: 401)
    )

    /// 401 with `invalid_token` in `WWW-Authenticate`: the `Origin` header is missing.
    public static let shopifyOriginMissing = SandboxFault.answer(.originMissing)

    /// 403 with a page: the `User-Agent` header is missing, or Shopify blocks the client.
    public static let shopifyAccessDenied = SandboxFault.answer(NoticePages.accessDenied())

    /// The ID token's `sub` as a JSON number.
    public static let numericSubject = SandboxFault.idToken { token in
        guard let number = token.claims["sub"]?.string.flatMap(Int.init) else { return }
        token.claims["sub"] = .integer(number)
    }

    /// The ID token's `aud` as an array of the client's id and these ids.
    public static func audienceArray(others: String...) -> SandboxFault {
        .idToken { token in
            guard let audience = token.claims["aud"], audience.array == nil else { return }
            token.claims["aud"] = .array([audience] + others.map { .string($0) })
        }
    }

    /// Adds three unusable keys before the real ones: of an unknown type, with an invalid modulus, and for encryption.
    ///
    /// Plan it for ``SandboxEndpoint/jwks``.
    public static let unknownKeys = SandboxFault.editJSON { object in
        let strange: [JSONValue] = [
            .object(["kty": .string("LATTICE"), "kid": .string("future"), "z": .string("AQAB")]),
            .object(["kty": .string("RSA"), "kid": .string("broken"), "n": .string("!"), "e": .string("AQAB")]),
            .object(["kty": .string("RSA"), "use": .string("enc"), "kid": .string("encryption")]),
        ]
        object["keys"] = .array(strange + (object["keys"]?.array ?? []))
    }
}
