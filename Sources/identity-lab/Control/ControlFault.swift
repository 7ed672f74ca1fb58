internal import IdentityKit
internal import IdentitySandbox
internal import StorefrontSandbox

/// A fault of the sandbox that can be planned while it runs.
enum ControlFault: String, CaseIterable, Sendable {
    case tokenOutage, tokenLost, tokenSlow, tokenReset, tokenRefused, tooMany
    case wrongIssuer, wrongAudience, wrongSubject, wrongNonce, wrongSignature
    case noRefreshToken, noKeys, keysOutage, discoveryOutage, apiOutage, apiRefused
    case storefrontOutage, storefrontThrottled

    var title: String {
        switch self {
        case .tokenOutage: "Token endpoint: status 503"
        case .tokenLost: "Token endpoint: the response is lost after the provider has acted"
        case .tokenSlow: "Token endpoint: 5 seconds late"
        case .tokenReset: "Token endpoint: the connection is reset before the provider acts"
        case .tokenRefused: "Token endpoint: invalid_grant"
        case .tooMany: "Token endpoint: 429, Retry-After 5"
        case .wrongIssuer: "ID token of another issuer"
        case .wrongAudience: "ID token for another client"
        case .wrongSubject: "ID token of another buyer"
        case .wrongNonce: "ID token with another nonce"
        case .wrongSignature: "ID token with the signature of another key"
        case .noRefreshToken: "Response without a refresh token"
        case .noKeys: "Key set without keys"
        case .keysOutage: "Key set: status 503"
        case .discoveryOutage: "Discovery: status 503"
        case .apiOutage: "Account API or UserInfo: status 503"
        case .apiRefused: "Account API or UserInfo: 401, invalid_token"
        case .storefrontOutage: "Storefront: status 503"
        case .storefrontThrottled: "Storefront: throttled"
        }
    }

    /// Whether it is a fault of the shop, and not of a provider.
    var isOfTheShop: Bool { plan.endpoint == .storefront }

    private var plan: (endpoint: SandboxEndpoint, fault: SandboxFault) {
        switch self {
        case .tokenOutage: (.token, .htmlPage(status: 503))
        case .tokenLost: (.token, .loseResponse)
        case .tokenSlow: (.token, .delay(.seconds(5)))
        case .tokenReset: (.token, .reset)
        case .tokenRefused: (.token, .oauthError("invalid_grant"))
        case .tooMany: (.token, .tooManyRequests(retryAfter: 5))
        case .wrongIssuer: (.token, .claim("iss", .string("https://attacker.example")))
        case .wrongAudience: (.token, .claim("aud", .string("another-client")))
        case .wrongSubject: (.token, .claim("sub", .string("another-buyer")))
        case .wrongNonce: (.token, .claim("nonce", .string("another")))
        case .wrongSignature: (.token, .signature(.foreignKey))
        case .noRefreshToken: (.token, .withoutMembers("refresh_token"))
        case .noKeys: (.jwks, .noKeys)
        case .keysOutage: (.jwks, .htmlPage(status: 503))
        case .discoveryOutage: (.discovery, .htmlPage(status: 503))
        case .apiOutage: (.api, .htmlPage(status: 503))
        case .apiRefused:
            (.api, .answer(status: 401, headers: [("WWW-Authenticate", "Bearer error=\"invalid_token\"")]))
        case .storefrontOutage: (.storefront, .htmlPage(status: 503))
        case .storefrontThrottled: (.storefront, .storefrontThrottled)
        }
    }

    /// Plans the fault for the next requests to the endpoint.
    ///
    /// - Parameters:
    ///   - services: The services with the fault.
    ///   - times: For how many requests to each of them.
    func plan(at services: [any SandboxService], times: Int) {
        let (endpoint, fault) = plan
        for service in services {
            let isExchange = endpoint == .token && service is SandboxSFCC
            service.planFault(fault, on: isExchange ? .tokenExchange : endpoint, times: times)
        }
    }
}
