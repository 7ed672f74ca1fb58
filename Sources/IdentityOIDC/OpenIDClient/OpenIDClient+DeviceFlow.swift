internal import FoundationEssentials
internal import IdentityHTTP
public import IdentityKit

extension OpenIDClient {
    /// Requests a code that the buyer enters on another device (RFC 8628 section 3.1).
    ///
    /// This function also loads the provider's keys. If the keys are not available, the login fails before the buyer enters the code.
    ///
    /// - Throws: `IdentityError`.
    public func deviceAuthorization(_ options: LoginOptions) async throws -> DeviceAuthorization {
        var options = options
        options.complete(by: configuration.loginDefaults)
        let metadata = try await metadata()
        guard let endpoint = metadata.deviceAuthorizationEndpoint else {
            throw Self.missing(.deviceAuthorization)
        }
        guard metadata.tokenEndpoint != nil else { throw Self.missing(.token) }
        guard let keySet = metadata.keySetURL else { throw Self.missing(.keySet) }
        guard requestsOpenID(options) else { throw Self.scopesWithoutOpenID }
        let scopes = options.scopes ?? configuration.scopes
        _ = try await keySource.keys(at: keySet)

        // This request has `client_id` even beside Basic credentials, because Ory Hydra refuses the request without `client_id`.
        var fields: [(name: String, value: String)] = [
            ("client_id", descriptor.clientID), ("scope", scopes.joined(separator: " ")),
        ]
        try add(options, to: &fields)
        let pkce =
            configuration.usesPKCEForDeviceLogin
            ? try PKCE(randomBytes: try httpClient.environment.random.exactly(32)) : nil
        if let pkce { fields += [("code_challenge", pkce.challenge), ("code_challenge_method", "S256")] }
        let key = try newDPoPKey(metadata.dpopAlgorithms)
        let startedAt = httpClient.environment.clock.now
        let (response, redacted) = try await postAuthenticated(
            fields,
            headers: tokenRequestHeaders,
            to: endpoint,
            asking: "The provider's device authorization endpoint"
        )
        let object: JSONObject
        switch try TokenEndpointResponse(response, to: .deviceCode, from: .deviceAuthorization, hiding: redacted) {
        case .success(let found): object = found
        case .failure(let failure): throw refusal(failure, metadata)
        }
        let device = try DeviceAuthorizationResponse(object, allowsLoopbackHTTP: httpClient.allowsLoopbackHTTP)
        var authorization = DeviceAuthorization(
            prompt: DeviceLoginPrompt(
                provider: descriptor.name,
                userCode: device.userCode,
                verificationURI: device.verificationURI,
                verificationURIComplete: device.verificationURIComplete,
                expiresAt: startedAt + device.lifetime.timeInterval
            ),
            deviceCode: device.deviceCode,
            lifetime: device.lifetime,
            scopes: scopes
        )
        authorization.interval = device.interval
        authorization.issuer = boundIssuer(metadata.issuer)
        authorization.maximumAgeSeconds = options.maximumAgeSeconds
        authorization.authenticationContexts = options.authenticationContexts
        authorization.codeVerifier = pkce?.verifier
        authorization.dpopKey = try key?.secret()
        return authorization
    }

    /// Asks once for the tokens of a device code (RFC 8628 section 3.4).
    ///
    /// After a temporary failure, the result is `unanswered`, and the caller polls again. After a response with tokens, every failure ends
    /// the login.
    ///
    /// - Throws: `IdentityError` when the login has failed, for example because the buyer refused or the code expired, or when the task is
    ///   cancelled.
    public func poll(_ authorization: DeviceAuthorization) async throws -> DevicePoll {
        var fields: [(name: String, value: String)] = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("client_id", descriptor.clientID),
            ("device_code", authorization.deviceCode.reveal()),
        ]
        if let verifier = authorization.codeVerifier { fields.append(("code_verifier", verifier.reveal())) }
        let metadata: ProviderMetadata
        let response: TokenEndpointResponse
        let startedAt: Date
        do {
            metadata = try await self.metadata()
            try checkIssuer(authorization.issuer, is: metadata)
            let sent = try await sendTokenRequest(fields, metadata, dpopKey: authorization.dpopKey)
            response = try TokenEndpointResponse(sent.response, to: .deviceCode, hiding: sent.redacted)
            startedAt = sent.startedAt
        } catch let error as IdentityError where error.kind == .retryLater {
            return .unanswered(error)
        }
        switch response {
        case .failure(let failure):
            return try poll(failure, metadata, sentProof: authorization.dpopKey != nil)
        case .success(let object):
            return .authorized(try await loginTokens(object, startedAt, authorization, metadata))
        }
    }

    /// The outcome of a poll whose response contains no tokens (RFC 8628 section 3.5).
    ///
    /// The error names are read in responses with status 2xx and 4xx, because some providers send them with 200, 403, 428 or 429.
    private func poll(
        _ failure: TokenErrorResponse,
        _ metadata: ProviderMetadata,
        sentProof: Bool
    ) throws(IdentityError) -> DevicePoll {
        let section = "RFC 8628 section 3.5"
        if failure.status < 300 || (400..<500).contains(failure.status) {
            switch failure.error ?? "" {
            case "authorization_pending": return .pending
            case "slow_down": return .slowDown
            case "expired_token":
                throw failure.make(
                    .rejected,
                    .attemptExpired,
                    "The device code expired before the buyer signed in.",
                    "Start the login again.",
                    reference: section
                )
            case "access_denied":
                throw AuthorizationErrorResponse.error(for: failure.providerResponse, reference: section)
            default: break
            }
        }
        let refusal = refusal(failure, metadata, sentProof: sentProof)
        guard refusal.kind == .retryLater else { throw refusal }
        return .unanswered(refusal)
    }
}
