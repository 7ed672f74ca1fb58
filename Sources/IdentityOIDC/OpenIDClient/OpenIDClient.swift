internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityHTTP
package import IdentityKit

/// The engine under every provider of this package: authorization request, code exchange and refresh by the book, with a
/// dialect for where a provider differs.
package struct OpenIDClient: Sendable {
    package let descriptor: ProviderDescriptor
    package let scopes: [String]
    package let authentication: ClientAuthentication
    package var dialect: OpenIDDialect
    package let metadataSource: MetadataSource
    package let httpClient: ProviderHTTPClient
    let keySource: KeySetSource
    let dpopNonces = DPoPNonceCache()

    package init(
        descriptor: ProviderDescriptor,
        scopes: [String],
        authentication: ClientAuthentication,
        dialect: OpenIDDialect,
        metadataSource: MetadataSource,
        httpClient: ProviderHTTPClient
    ) {
        self.descriptor = descriptor
        self.scopes = scopes
        self.authentication = authentication
        self.dialect = dialect
        self.metadataSource = metadataSource
        self.httpClient = httpClient
        keySource = KeySetSource(httpClient: httpClient, provider: descriptor.name)
    }

    /// Checks the callback and spends the code; the code goes out once, whatever happens then.
    package func exchange(_ callback: LoginCallback, for attempt: LoginAttempt) async throws -> TokenSet {
        let metadata = try await metadataSource.metadata()
        try checkIssuer(attempt.issuer, is: metadata)
        return try await redeem(try code(in: callback, for: attempt, metadata), for: attempt)
    }

    /// The code of a callback that is this attempt's, without spending it.
    package func authorizationCode(in callback: LoginCallback, for attempt: LoginAttempt) async throws -> Secret {
        try code(in: callback, for: attempt, try await metadataSource.metadata())
    }

    private func code(
        in callback: LoginCallback,
        for attempt: LoginAttempt,
        _ metadata: ProviderMetadata
    ) throws -> Secret {
        try AuthorizationResponse(
            callback,
            expecting: .init(
                state: attempt.state,
                issuer: attempt.issuer,
                issuers: dialect.issuers,
                requiresIssuer: metadata.sendsIssuerInResponse,
                responseMode: attempt.responseMode,
                codeParameters: dialect.codeParameters,
                refusalsAsCode: dialect.refusalsAsCode
            )
        ).code
    }

    /// Exchanges a code that has been checked (RFC 6749 section 4.1.3).
    package func redeem(_ code: Secret, for attempt: LoginAttempt) async throws -> TokenSet {
        let metadata = try await metadataSource.metadata()
        var fields: [(name: String, value: String)] = [
            ("grant_type", "authorization_code"), ("client_id", descriptor.clientID), ("code", code.reveal()),
        ]
        if let redirectURI = attempt.redirectURI { fields.append(("redirect_uri", redirectURI)) }
        if let verifier = attempt.codeVerifier { fields.append(("code_verifier", verifier.reveal())) }
        fields += dialect.exchangeFields(attempt)
        let key = try attempt.dpopKey.map { try DPoPKey($0) }
        let (answer, startedAt) = try await send(.authorizationCode, fields, metadata, provedBy: key)
        switch answer {
        case .success(let object):
            return try await loginTokens(object, provedBy: key, startedAt, on: LoginExpectations(attempt), metadata)
        case .failure(let failure): throw refusal(failure, metadata)
        }
    }

    func refreshScopes(_ answer: TokenResponse) -> [String] {
        (answer.object["refresh_token_scope"]?.string).flatMap {
            $0.utf8.count > TokenResponse.maximumScopeBytes ? nil : $0
        }.map {
            TokenResponse.scopes($0, separators: dialect.tokenRules.additionalScopeSeparators)
        } ?? []
    }

    /// An endpoint that a request needs, by the name of the member of `endpoints` that replaces it.
    enum Endpoint: String {
        case authorization, token, pushedAuthorization, revocation, deviceAuthorization
        case keySet = "jwks"

        var words: String {
            switch self {
            case .authorization: "authorization endpoint"
            case .token: "token endpoint"
            case .pushedAuthorization: "pushed authorization request endpoint"
            case .revocation: "revocation endpoint"
            case .deviceAuthorization: "device authorization endpoint"
            case .keySet: "key set"
            }
        }
    }

    static func missing(_ endpoint: Endpoint) -> IdentityError {
        IdentityError(
            .configuration,
            .unsupportedByProvider,
            "The provider's metadata contain no usable \(endpoint.words).",
            hint:
                "Set endpoints.\(endpoint.rawValue) in the provider's configuration, or endpoints.discovery if the metadata are not the provider's."
        )
    }

    static var scopesWithoutOpenID: IdentityError {
        IdentityError(
            .configuration,
            .configurationInvalid,
            "The scopes do not contain openid.",
            hint: "Add openid to scopes: without it the provider sends no ID token.",
            reference: "OpenID Connect Core section 3.1.2.1"
        )
    }
}
