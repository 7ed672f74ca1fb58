internal import FoundationEssentials
internal import IdentityHTTP
public import IdentityKit
internal import IdentityOIDC

// A login calls the storefront's controllers `codeExchange` and `tokenExchange` once each; a refresh calls only `tokenExchange`.
extension SFCCProvider {
    func tokens(for code: Secret, state: Secret) async throws -> TokenSet {
        var client = SFCCHTTPClient(httpClient: httpClient)
        let pair = [(name: configuration.codeParam, value: code), (configuration.stateParam, state)]
        let first = response(try await client.get(try url(configuration.extraQuery + pair)), hiding: [code, state])
        try first.checkCodeExchange()
        var form = configuration.extraForm
        if configuration.repeatsCode { form += pair }
        var secrets = [code, state]
        if let field = configuration.continuationField, let token = first.token {
            form.append((field, token))
            secrets.append(token)
        }
        let startedAt = httpClient.environment.clock.now
        let second = response(try await client.post(resolved.tokenExchange, form), hiding: secrets)
        return try await read(second, startedAt: startedAt, replacing: nil)
    }

    private func response(_ page: SFCCHTTPClient.Result, hiding secrets: [Secret]) -> SFCCResponse {
        SFCCResponse(page, tokenAt: configuration.tokenJSONPaths, hiding: hidden(secrets + page.cookies))
    }

    private func hidden(_ secrets: [Secret]) -> RequestSecrets {
        RequestSecrets(secrets: secrets + (configuration.extraQuery + configuration.extraForm).map(\.value))
    }

    /// Sends the refresh token to the controller `tokenExchange`, in the form of RFC 6749 section 6, and returns the response.
    ///
    /// The response is not validated here: it may contain an error with a success status. Bolt does not document whether the controller
    /// supports a refresh. If the storefront has issued no refresh token, the buyer has to sign in again when the access token expires.
    /// `JournaledRefreshing` in IdentityKit describes `lock`.
    ///
    /// - Throws: `RefreshRefusal` if no request was sent, no response was received, or the response has no success status (2xx). After a
    ///   redirect, also if the response contains an error.
    public func requestRefresh(
        of tokens: TokenSet,
        under lock: HeldLock
    ) async throws(RefreshRefusal) -> RefreshResponse {
        do {
            try checkIssuer(of: tokens)
            guard let refreshToken = tokens.refreshToken else {
                throw IdentityError(
                    .signInAgain,
                    .notRefreshable,
                    "The session has no refresh token: the SFCC storefront issued none.",
                    hint: "Let the buyer sign in again.",
                    reference: "help.bolt.com/developers/sdks/ios-swift/sso-login, SFCC Integration"
                )
            }
            let startedAt = httpClient.environment.clock.now
            let page = try await send(refreshToken, under: lock)
            if page.wasRedirected || !(200..<300).contains(page.response.status) {
                let response = response(page, hiding: [refreshToken])
                if let error = response.error { throw refusal(Self.refreshError(error), response) }
            }
            var response = RefreshResponse(
                status: page.response.status,
                body: Secret(bytes: page.response.body),
                authorization: page.response.headers["Authorization"].map { Secret($0) },
                startedAt: startedAt,
                receivedAt: httpClient.environment.clock.now
            )
            response.requestSecrets = hidden([refreshToken] + page.cookies)
            return response
        } catch {
            throw RefreshRefusal(error)
        }
    }

    /// Throws an error if another storefront issued the tokens, or if a key set was configured or removed after their login.
    ///
    /// The buyer of new tokens would then have another issuer, so the refresh token is not sent.
    private func checkIssuer(of old: TokenSet) throws(IdentityError) {
        let issuers = configuration.issuers ?? [resolved.unverifiedIssuer]
        guard issuers.contains(where: { $0.isIdentical(to: old.buyer.issuer) }) else {
            throw IdentityError.issuerChanged(
                from: old.buyer.issuer,
                to: issuers.joined(separator: " or "),
                canListIssuers: configuration.issuers != nil
            )
        }
    }

    private func send(
        _ refreshToken: Secret,
        under lock: HeldLock
    ) async throws(RefreshRefusal) -> SFCCHTTPClient.Result {
        var client = SFCCHTTPClient(httpClient: httpClient, lock: lock)
        let form = [(name: "grant_type", value: Secret("refresh_token")), ("refresh_token", refreshToken)]
        do {
            return try await client.post(resolved.tokenExchange, configuration.extraForm + form)
        } catch {
            let refusal = RefreshRefusal(error)
            // After a response to the POST, the storefront may have used the refresh token, even if a redirect then failed.
            throw client.hasResponse ? RefreshRefusal(.inDoubt, refusal.error) : refusal
        }
    }

    /// The refusal for a refresh whose response contains an error, or contains no token.
    ///
    /// If a redirect led to the response, or if the response contains a token, the storefront may have used the refresh token: the
    /// refusal is `inDoubt`. `invalid_grant` always ends the session.
    private func refusal(_ error: any Error, _ response: SFCCResponse) -> RefreshRefusal {
        let refusal = RefreshRefusal(error)
        let hasToken = response.hasToken || response.member("refresh_token")?.string?.isEmpty == false
        guard response.wasRedirected || hasToken, refusal.kind != .invalidGrant else { return refusal }
        return RefreshRefusal(.inDoubt, refusal.error)
    }

    /// Validates the response to a refresh.
    public func tokens(from kept: RefreshResponse, refreshing old: TokenSet) async throws -> TokenSet {
        var headers = HTTPHeaders()
        if let authorization = kept.authorization { try headers.set("Authorization", authorization.reveal()) }
        let page = SFCCHTTPClient.Result(
            response: HTTPResponse(status: kept.status, headers: headers, body: kept.body.revealBytes()),
            wasRedirected: false,
            cookies: []
        )
        let response = SFCCResponse(
            page,
            tokenAt: configuration.tokenJSONPaths,
            hiding: kept.requestSecrets ?? hidden([old.refreshToken].compactMap(\.self))
        )
        do {
            return try await read(response, startedAt: kept.startedAt, replacing: old)
        } catch {
            guard response.error == nil, response.hasToken else {
                throw refusal(error, response)
            }
            throw error
        }
    }

    private func url(_ fields: [(name: String, value: Secret)]) throws -> HTTPURL {
        do {
            return try resolved.codeExchange.appending(fields: fields.map { ($0.name, $0.value.reveal()) })
        } catch {
            throw IdentityError(
                .rejected,
                .callbackInvalid,
                "The URL of the SFCC storefront's code exchange would be too long.",
                hint: "Start the login again. If that fails too, shorten extraQuery.",
                reference: "help.bolt.com/developers/sdks/ios-swift/sso-login, SFCC Integration"
            )
        }
    }
}
