internal import IdentityKit

extension ClientAuthentication {
    /// Reads the members; without `clientAuthentication`, a `clientSecret` is sent in the body if `postsSecret` is true, else as Basic.
    init(_ section: inout ConfigurationSection, postsSecret: Bool) throws(IdentityError) {
        let method = try section.optionalString("clientAuthentication")
        let secret = try section.optionalSecret("clientSecret")
        let keyText = try section.optionalSecret("clientKey")
        let keyID = try section.optionalString("clientKeyID")
        let algorithm = try section.optionalString("clientKeyAlgorithm")
        let audience: AssertionAudience? = try section.optionalChoice("clientAssertionAudience")
        guard
            keyText != nil || (keyID == nil && algorithm == nil && audience == nil && method != "private_key_jwt")
        else {
            throw section.error(
                "clientKey",
                "is missing",
                hint: """
                    Set clientKey. If the client has no key, remove clientKeyID, clientKeyAlgorithm and clientAssertionAudience. Also \
                    remove clientAuthentication if its value is private_key_jwt.
                    """
            )
        }
        switch (method, secret, keyText) {
        case (nil, nil, nil), ("none", nil, nil): self = .none
        case (nil, let secret?, nil) where postsSecret: self = .secretPost(secret)
        case (nil, let secret?, nil), ("client_secret_basic", let secret?, nil): self = .secretBasic(secret)
        case ("client_secret_basic_verbatim", let secret?, nil):
            self = .secretBasic(secret, encoding: .verbatimForNonconformingProvider)
        case ("client_secret_post", let secret?, nil): self = .secretPost(secret)
        case ("client_secret_basic", nil, nil), ("client_secret_basic_verbatim", nil, nil),
            ("client_secret_post", nil, nil):
            throw section.error(
                "clientSecret",
                "is missing",
                hint: "Set clientSecret. If the client has no secret, remove clientAuthentication."
            )
        case (nil, nil, let text?), ("private_key_jwt", nil, let text?):
            do {
                let key = try ClientKey(text, keyID: keyID, algorithm: algorithm)
                self = .privateKeyJWT(key, audience: audience ?? .issuer)
            } catch {
                throw section.error("clientKey", "cannot be used", hint: "\(error.message) \(error.hint ?? "")")
            }
        case (_, _?, _?):
            throw section.error(
                "clientKey",
                "and clientSecret are both set",
                hint: "If the client authenticates with a key, remove clientSecret. Otherwise remove clientKey."
            )
        default:
            throw section.error(
                "clientAuthentication",
                "is unknown, or does not match the configured secret or key",
                hint:
                    "With clientSecret, set clientAuthentication to client_secret_basic, client_secret_basic_verbatim or "
                    + "client_secret_post. With clientKey, set clientAuthentication to private_key_jwt. Without clientSecret "
                    + "and clientKey, set clientAuthentication to none."
            )
        }
    }
}
