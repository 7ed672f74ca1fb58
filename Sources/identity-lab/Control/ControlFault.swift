internal import IdentityKit
internal import IdentitySandbox
internal import StorefrontSandbox

enum ControlFault: String, CaseIterable, Sendable {
    case tokenOutage, tokenLost, tokenSlow, tokenReset, tokenRefused, tooMany
    case wrongIssuer, wrongAudience, wrongSubject, wrongNonce, wrongSignature
    case noRefreshToken, noKeys, keysOutage, discoveryOutage, apiOutage, apiRefused
    case storefrontOutage, storefrontThrottled

    var title: String { details.title }

    var isOfTheShop: Bool { details.endpoint == .storefront }

    private var details: (title: String, endpoint: SandboxEndpoint, fault: SandboxFault) {
        switch self {
        case .tokenOutage: ("Token endpoint: status 503", .token, .htmlPage(status: 503))
        case .tokenLost: ("Token endpoint: the response is lost after the provider has acted", .token, .loseResponse)
        case .tokenSlow: ("Token endpoint: the response is 5 seconds late", .token, .delay(.seconds(5)))
        case .tokenReset: ("Token endpoint: the connection is reset before the provider acts", .token, .reset)
        case .tokenRefused: ("Token endpoint: invalid_grant", .token, .oauthError("invalid_grant"))
        case .tooMany: ("Token endpoint: 429, Retry-After 5", .token, .tooManyRequests(retryAfter: 5))
        case .wrongIssuer: ("ID token of another issuer", .token, .claim("iss", .string("https://attacker.example")))
        case .wrongAudience: ("ID token for another client", .token, .claim("aud", .string("another-client")))
        case .wrongSubject: ("ID token of another buyer", .token, .claim("sub", .string("another-buyer")))
        case .wrongNonce: ("ID token with another nonce", .token, .claim("nonce", .string("another")))
        case .wrongSignature: ("ID token with the signature of another key", .token, .signature(.foreignKey))
        case .noRefreshToken: ("Response without a refresh token", .token, .withoutMembers("refresh_token"))
        case .noKeys: ("Key set without keys", .jwks, .noKeys)
        case .keysOutage: ("Key set: status 503", .jwks, .htmlPage(status: 503))
        case .discoveryOutage: ("Discovery: status 503", .discovery, .htmlPage(status: 503))
        case .apiOutage: ("Account API or UserInfo: status 503", .api, .htmlPage(status: 503))
        case .apiRefused:
            (
                "Account API or UserInfo: 401, invalid_token", .api,
                .answer(status: 401, headers: [("WWW-Authenticate", "Bearer error=\"invalid_token\"")])
            )
        case .storefrontOutage: ("Storefront: status 503", .storefront, .htmlPage(status: 503))
        case .storefrontThrottled: ("Storefront: throttled", .storefront, .storefrontThrottled)
        }
    }

    func plan(at services: [any SandboxService], times: Int) {
        let (_, endpoint, fault) = details
        for service in services {
            let isExchange = endpoint == .token && service is SandboxSFCC
            service.planFault(fault, on: isExchange ? .tokenExchange : endpoint, times: times)
        }
    }
}
