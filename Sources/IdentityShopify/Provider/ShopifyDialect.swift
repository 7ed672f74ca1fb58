internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC

/// Where Shopify differs from the book of OpenID Connect.
enum ShopifyDialect {
    static func dialect(_ configuration: ShopifyProvider.Configuration, issuers: IssuerPolicy) -> OpenIDDialect {
        var dialect = OpenIDDialect(issuers: issuers, audiences: [configuration.clientID])
        dialect.localeParameter = "locale"
        // The reference page lets a failed silent login come back under either name.
        dialect.refusalsAsCode = ["login_required"]
        dialect.tokenRequestHeaders = headers(configuration).map { ($0.name, Secret($0.value)) }
        dialect.tokenRules.requiresTokenType = false
        dialect.tokenRules.requiresLifetime = true
        dialect.acceptsNumericSubject = true
        // `acr` is not among the claims that Shopify supports: `acr_values` picks a way to sign in and proves nothing.
        dialect.provesAuthenticationContext = false
        dialect.classify = error
        return dialect
    }

    /// What every call to Shopify carries.
    static func headers(_ configuration: ShopifyProvider.Configuration) -> [(name: String, value: String)] {
        var headers = [(name: "User-Agent", value: configuration.userAgent)]
        if case .publicWeb(let origin) = configuration.client { headers.append(("Origin", origin)) }
        return headers
    }

    /// What a failure of the token endpoint means: only the JSON `error` decides that a token is dead, and pages, outages and
    /// mistakes of the configuration leave every session as it is.
    static func error(_ failure: TokenFailure) -> IdentityError {
        if (300..<400).contains(failure.status) {
            return failure.make(
                .configuration,
                .redirectRefused,
                "Shopify's token endpoint answered with a redirect, which was not followed.",
                "The shop id in the address is wrong. Check shopID, or leave it out and let discovery find the endpoints."
            )
        }
        // A proxy's 403 is a page; an error by name is Shopify's own word and is read by the book.
        guard (failure.error ?? "").isEmpty || failure.error?.isIdentical(to: "invalid_token") == true else {
            return failure.standardError
        }
        if failure.status == 401, namesInvalidToken(failure) {
            return failure.make(
                .configuration,
                .originRefused,
                "Shopify refused the token request because of its Origin header.",
                "Register the app's origin at Shopify under JavaScript origins, and use client publicWeb with the same "
                    + "origin. Sessions are kept."
            )
        }
        if failure.status == 403 {
            return failure.make(
                .configuration,
                .requestBlocked,
                "Shopify let the token request not through (HTTP 403).",
                "Send a User-Agent, and ask Shopify whether this machine's address is blocked. Sessions are kept."
            )
        }
        return failure.standardError
    }

    private static func namesInvalidToken(_ failure: TokenFailure) -> Bool {
        failure.error?.isIdentical(to: "invalid_token") == true
            || failure.headers.values(for: "WWW-Authenticate").contains { challenge in
                challenge.split { !$0.isLetter && $0 != "_" }.contains {
                    $0.lowercased().isIdentical(to: "invalid_token")
                }
            }
    }
}
