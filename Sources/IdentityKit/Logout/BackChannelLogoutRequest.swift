internal import IdentityHTTP

/// Reads the request of a provider that ends sessions (OpenID Connect Back-Channel Logout 1.0 section 2.5): bytes in, token out.
enum BackChannelLogoutRequest {
    /// How long a body may be: a logout token has about one kilobyte.
    static let maximumBytes = 16_384

    /// The logout token of a form; what else the form holds is not looked at, as section 2.5 asks.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/logoutTokenInvalid``.
    static func token(in body: [UInt8], contentType: String?) throws(IdentityError) -> Secret {
        let type = (contentType ?? "").utf8.prefix { $0 != UInt8(ascii: ";") }
        let trimmed = type.split { $0 == 0x20 || $0 == 0x09 }
        guard trimmed.count == 1, let name = trimmed.first,
            name.elementsEqual("application/x-www-form-urlencoded".utf8, by: { ASCII.lowercased($0) == $1 })
        else { throw invalid("is no form") }
        guard body.count <= maximumBytes else { throw invalid("is larger than 16 KiB") }
        guard let fields = FormEncoding.decode(body) else { throw invalid("is no well-formed form") }
        let tokens = fields.filter { $0.name.isIdentical(to: "logout_token") }
        guard tokens.count == 1, let token = tokens.first, !token.value.isEmpty else {
            throw invalid("does not hold one logout token")
        }
        return Secret(token.value)
    }

    private static func invalid(_ problem: String) -> IdentityError {
        IdentityError(
            .rejected,
            .logoutTokenInvalid,
            "The logout request \(problem).",
            hint: "Hand over body and Content-Type as they came. No session was ended.",
            reference: "OpenID Connect Back-Channel Logout 1.0 section 2.5"
        )
    }
}
