internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityHTTP
internal import IdentityKit

extension OpenIDClient {
    /// Posts a form to an endpoint that authenticates clients (RFC 6749 section 2.3), and returns a response with any status.
    ///
    /// The function adds `client_id` if the form lacks it and ``namesClientInBody`` is true. With `lock`, the session's lock during a
    /// refresh, a request is sent only while the lock is held. No error may contain the returned `redacted` values.
    func postAuthenticated(
        _ fields: [(name: String, value: String)],
        headers: [(name: String, value: String)] = [],
        to endpoint: HTTPURL,
        dpopKey key: DPoPKey? = nil,
        under lock: HeldLock? = nil,
        asking party: String
    ) async throws -> (response: HTTPResponse, redacted: RequestSecrets) {
        var secrets: [Secret] = []
        let response = try await withDPoPProof(key, to: endpoint) { proof in
            let (headers, fields) = try await authenticate(fields, headers: headers + proof)
            secrets += self.secrets(in: fields) + headers.map { Secret($0.value) }
            return try await httpClient.send(
                .post,
                endpoint,
                headers: try ProviderHTTPClient.headers(
                    [("Content-Type", MediaType.form.rawValue)] + headers
                ),
                body: FormEncoding.encode(fields),
                under: lock,
                asking: party
            )
        }
        return (response, RequestSecrets(secrets: secrets))
    }

    private func authenticate(
        _ fields: [(name: String, value: String)],
        headers: [(name: String, value: String)]
    ) async throws -> (headers: [(name: String, value: String)], fields: [(name: String, value: String)]) {
        var (headers, fields) = (headers, fields)
        if namesClientInBody, !fields.contains(where: { $0.name == "client_id" }) {
            fields.append(("client_id", descriptor.clientID))
        }
        switch configuration.authentication {
        case .none: break
        case .secretPost(let secret):
            let clientID = settings.secretFollowsClientID ? fields.firstIndex { $0.name == "client_id" } : nil
            fields.insert(("client_secret", secret.reveal()), at: clientID.map { $0 + 1 } ?? fields.count)
        case .signedSecretPost(let secret):
            let now = httpClient.environment.clock.now
            fields.append(("client_secret", try secret.secret(for: descriptor.clientID, at: now)))
        case .secretBasic(let secret, let encoding):
            headers.append(("Authorization", "Basic \(Self.credentials(descriptor.clientID, secret, encoding))"))
        case .privateKeyJWT(let key, let audience):
            fields += try await assertion(key, for: audience)
        }
        return (headers, fields)
    }

    /// Whether requests to the token endpoint and the revocation endpoint have `client_id` in the body.
    var namesClientInBody: Bool {
        if case .secretBasic = configuration.authentication { settings.sendsClientIDBesideBasic } else { true }
    }

    /// The secret values of a form, and the client's secret; no error may contain them.
    private func secrets(in fields: [(name: String, value: String)]) -> [Secret] {
        var secrets = clientSecrets
        for field in fields where !Self.publicFields.contains(field.name) { secrets.append(Secret(field.value)) }
        return secrets
    }

    private static let publicFields = [
        "acr_values", "client_assertion_type", "client_id", "code_challenge_method", "grant_type", "max_age", "prompt",
        "redirect_uri", "response_mode", "response_type", "scope", "token_type_hint", "ui_locales",
    ]

    /// The configured secret and, if the client sends it in Basic credentials, these credentials; no error may contain them.
    var clientSecrets: [Secret] {
        switch configuration.authentication {
        case .none, .privateKeyJWT, .signedSecretPost: return []
        case .secretPost(let secret): return [secret]
        case .secretBasic(let secret, let encoding):
            let credentials = Self.credentials(descriptor.clientID, secret, encoding)
            return [secret, Secret(String(credentials.prefix { $0 != "=" }))]
        }
    }

    /// Basic credentials (RFC 6749 section 2.3.1, RFC 7617).
    private static func credentials(
        _ clientID: String,
        _ secret: Secret,
        _ encoding: ClientAuthentication.BasicCredentialEncoding
    ) -> String {
        switch encoding {
        case .formEncoded:
            Base64.encode(Array("\(FormEncoding.escape(clientID)):\(FormEncoding.escape(secret.reveal()))".utf8))
        case .verbatimForNonconformingProvider:
            Base64.encode(Array("\(clientID):\(secret.reveal())".utf8))
        }
    }
}
