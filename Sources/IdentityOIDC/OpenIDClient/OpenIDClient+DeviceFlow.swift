internal import FoundationEssentials
internal import IdentityHTTP
package import IdentityKit

extension OpenIDClient {
    /// Asks for a code that the buyer enters on another device (RFC 8628 section 3.1).
    ///
    /// What can fail without the buyer fails here: nobody should enter a code for a login that cannot end.
    package func deviceAuthorization(_ options: LoginOptions) async throws -> DeviceAuthorization {
        let options = completed(options)
        let metadata = try await metadataSource.metadata()
        guard let endpoint = metadata.deviceAuthorizationEndpoint else {
            throw Self.missing(.deviceAuthorization)
        }
        guard metadata.tokenEndpoint != nil else { throw Self.missing(.token) }
        guard let keySet = metadata.keySetURL else { throw Self.missing(.keySet) }
        let scopes = options.scopes ?? self.scopes
        guard scopes.contains(where: { $0.isIdentical(to: "openid") }) else { throw Self.scopesWithoutOpenID }
        _ = try await keySource.keys(at: keySet)

        var fields: [(name: String, value: String)] = [
            ("client_id", descriptor.clientID), ("scope", scopes.joined(separator: " ")),
        ]
        try add(options, to: &fields)
        let key = try newDPoPKey(metadata)
        let startedAt = httpClient.environment.clock.now
        let (answer, sent) = try await authenticated(
            fields,
            headers: dialect.tokenRequestHeaders.map { ($0.name, $0.value.reveal()) },
            to: endpoint,
            asking: "The provider's device authorization endpoint"
        )
        let object: JSONObject
        switch try TokenEndpointResponse(answer, to: .deviceCode, hiding: sent) {
        case .success(let found): object = found
        case .failure(var failure):
            failure.endpoint = "device authorization endpoint"
            failure.endpointMember = "endpoints.deviceAuthorization"
            throw refusal(failure, metadata)
        }
        let response = try DeviceAuthorizationResponse(object, allowsLoopbackHTTP: httpClient.allowsLoopbackHTTP)
        var authorization = DeviceAuthorization(
            prompt: DeviceLoginPrompt(
                provider: descriptor.name,
                userCode: response.userCode,
                verificationURI: response.verificationURI,
                verificationURIComplete: response.verificationURIComplete,
                expiresAt: startedAt + response.lifetime.timeInterval
            ),
            deviceCode: response.deviceCode,
            lifetime: response.lifetime,
            scopes: scopes
        )
        authorization.interval = response.interval
        authorization.issuer = boundIssuer(metadata)
        authorization.maximumAgeSeconds = options.maximumAgeSeconds
        authorization.authenticationContexts = options.authenticationContexts
        authorization.dpopKey = try key?.secret()
        return authorization
    }

    /// Asks once for the tokens of a device code (RFC 8628 section 3.4).
    ///
    /// A failure before the provider gave tokens does not spend the code, and is an answer that waiting can cure; one behind
    /// them ends the login.
    package func poll(_ authorization: DeviceAuthorization) async throws -> DevicePoll {
        let fields: [(name: String, value: String)] = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("client_id", descriptor.clientID),
            ("device_code", authorization.deviceCode.reveal()),
        ]
        let key = try authorization.dpopKey.map { try DPoPKey($0) }
        let metadata: ProviderMetadata
        let answer: TokenEndpointResponse
        let startedAt: Date
        do {
            metadata = try await metadataSource.metadata()
            try checkIssuer(authorization.issuer, is: metadata)
            (answer, startedAt) = try await send(.deviceCode, fields, metadata, provedBy: key)
        } catch let error as IdentityError where error.kind == .retryLater {
            return .unanswered(error)
        }
        switch answer {
        case .failure(let failure): return try failure.devicePoll { refusal($0, metadata) }
        case .success(let object):
            let terms = LoginExpectations(authorization)
            return .authorized(try await loginTokens(object, provedBy: key, startedAt, on: terms, metadata))
        }
    }
}

extension LoginExpectations {
    init(_ authorization: DeviceAuthorization) {
        scopes = authorization.scopes
        issuer = authorization.issuer
        maximumAgeSeconds = authorization.maximumAgeSeconds
        authenticationContexts = authorization.authenticationContexts
        dpopKey = authorization.dpopKey
        // A device authorization request has no nonce; a token that holds one was made for another login.
        refusesNonce = true
    }
}
