internal import IdentityKit

extension SandboxResponse {
    /// The response to a public web client that sends no registered `Origin`.
    static let originMissing = SandboxResponse(
        status: 401,
        headers: [
            ("WWW-Authenticate", "Bearer realm=\"customer accounts\", error=\"invalid_token\""),
            ("Content-Type", "application/json"),
        ]
    )
}

extension SandboxFault {
    /// Sends 401 with an empty `error`, as Shopify does if an upstream service fails; the tokens stay valid.
    public static let shopifyUpstreamFailure = SandboxFault.answer(
        .json(["error": .string(""), "error_description": .string("Access token request error.")], status: 401)
    )

    /// Sends 401 with `invalid_token` in `WWW-Authenticate`, as Shopify does if the `Origin` header is missing.
    public static let shopifyOriginMissing = SandboxFault.answer(.originMissing)

    /// Sends 403 with a page, as Shopify does for a request without `User-Agent` or from a blocked client.
    public static let shopifyAccessDenied = SandboxFault.answer(NoticePages.accessDenied())

    /// Changes the ID token's `sub` into a JSON number, if `sub` is a string of digits.
    public static let numericSubject = SandboxFault.idToken { token in
        guard let number = token.claims["sub"]?.string.flatMap(Int.init) else { return }
        token.claims["sub"] = .integer(number)
    }

    /// Changes the ID token's `aud` into an array of the client's id and these ids.
    public static func audienceArray(others: String...) -> SandboxFault {
        .idToken { token in
            guard let audience = token.claims["aud"], audience.array == nil else { return }
            token.claims["aud"] = .array([audience] + others.map { .string($0) })
        }
    }

    /// Adds three unusable keys before the published keys: of an unknown type, with an invalid modulus, and for encryption.
    ///
    /// Plan this fault for ``SandboxEndpoint/jwks``.
    public static let unknownKeys = SandboxFault.editJSON { object in
        let strange: [JSONValue] = [
            .object(["kty": .string("LATTICE"), "kid": .string("future"), "z": .string("AQAB")]),
            .object(["kty": .string("RSA"), "kid": .string("broken"), "n": .string("!"), "e": .string("AQAB")]),
            .object(["kty": .string("RSA"), "use": .string("enc"), "kid": .string("encryption")]),
        ]
        object["keys"] = .array(strange + (object["keys"]?.array ?? []))
    }
}
