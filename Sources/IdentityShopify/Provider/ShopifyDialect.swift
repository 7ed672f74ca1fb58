internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC

/// Where Shopify differs from the book of OpenID Connect.
enum ShopifyDialect {
    static func dialect(_ configuration: ShopifyProvider.Configuration, issuers: IssuerPolicy) -> OpenIDDialect {
        var dialect = OpenIDDialect(issuers: issuers, audiences: [configuration.clientID])
        dialect.localeParameter = "locale"
        dialect.loginDefaults = configuration.loginDefaults
        // The reference page lets a failed silent login come back under either name.
        dialect.refusalsAsCode = ["login_required"]
        dialect.tokenRequestHeaders = headers(configuration).map { ($0.name, Secret($0.value)) }
        dialect.tokenRules.requiresTokenType = false
        dialect.tokenRules.requiresLifetime = true
        dialect.acceptsNumericSubject = true
        // `acr` is not among the claims that Shopify supports: `acr_values` picks a way to sign in and proves nothing.
        dialect.provesAuthenticationContext = false
        dialect.listsAuthenticationMethods = false
        let isConfidential = if case .confidential = configuration.client { true } else { false }
        dialect.classify = { error($0, isConfidential: isConfidential) }
        return dialect
    }

    /// What every call to Shopify carries beside `User-Agent`.
    static func headers(_ configuration: ShopifyProvider.Configuration) -> [(name: String, value: String)] {
        guard case .publicWeb(let origin) = configuration.client else { return [] }
        return [("Origin", origin)]
    }

    /// What a failure of the token endpoint means: only the JSON `error` decides that a token is dead, and pages, outages and
    /// mistakes of the configuration leave every session as it is.
    static func error(_ failure: TokenFailure, isConfidential: Bool) -> IdentityError {
        if (300..<400).contains(failure.status) {
            return failure.make(
                .configuration,
                .redirectRefused,
                "Shopify's token endpoint answered with a redirect, which was not followed.",
                "The shop id in the address is wrong. Check shopID, or leave it out and let discovery find the endpoints."
            )
        }
        if failure.status < 500, failure.status != 429, failure.error?.isIdentical(to: "invalid_client") == true {
            return invalidClient(failure, isConfidential: isConfidential)
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
                "Ask Shopify whether it blocks this machine's address or the User-Agent of the environment. Sessions are kept."
            )
        }
        return failure.standardError
    }

    private static func invalidClient(_ failure: TokenFailure, isConfidential: Bool) -> IdentityError {
        failure.make(
            .configuration,
            .invalidClient,
            isConfidential
                ? "Shopify does not know this client or refuses its secret." : "Shopify does not know this client.",
            isConfidential
                ? "Compare clientID and clientSecret with the Customer Account API settings at Shopify. Sessions are kept."
                : "Compare clientID with the Customer Account API settings at Shopify, and client with the client's type there: "
                    + "a confidential client needs a clientSecret. Sessions are kept."
        )
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
