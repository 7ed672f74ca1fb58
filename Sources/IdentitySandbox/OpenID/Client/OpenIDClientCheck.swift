internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit

/// Authenticates clients: a request must use exactly one method, and the client must be registered for it (RFC 6749 section 2.3).
struct OpenIDClientCheck: Sendable {
    let configuration: SandboxOpenIDConfiguration
    let issuer: String

    private static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    private static let bodyParameters: Set = [
        "client_id", "client_secret", "client_assertion", "code", "code_verifier", "grant_type", "refresh_token",
        "token", "device_code",
    ]
    /// The maximum time until an assertion expires.
    private static let longestAssertion: TimeInterval = 300

    func authenticate(
        _ request: SandboxRequest,
        _ usedIDs: inout UsedIDs,
        at now: Date
    ) throws(OAuthRefusal) -> (form: OAuthParameters, client: SandboxOpenIDClient) {
        let form = try OAuthParameters(form: request)
        // RFC 6749 sections 2.3.1 and 3.2 require these parameters in the body, because logs often contain the URL's query.
        if let field = request.queryFields.first(where: { Self.bodyParameters.contains($0.name) }) {
            throw .invalidRequest("\(field.name) belongs in the body, not in the URL.")
        }
        let method = try method(request, form)
        if let name = Self.symmetricAssertion(form) {
            throw refusal("The client used client_secret_jwt (\(name)), which this provider does not support.")
        }
        let client = try client(request, form)
        let permitted = client.permittedAuthentication
        guard permitted.contains(method) else {
            let names = permitted.map(\.rawValue).joined(separator: " or ")
            throw refusal("The client used \(method.rawValue), but is registered for \(names).")
        }
        switch method {
        case .none: break
        case .clientSecretBasic: try checkBasic(request.header("authorization") ?? "", client)
        case .clientSecretPost: try checkSecret(form["client_secret"] ?? "", client)
        case .privateKeyJWT: try checkAssertion(form, client, &usedIDs, now)
        }
        let needsID = method == .none || method == .clientSecretPost
        guard form["client_id"].map({ $0.isIdentical(to: client.clientID) }) ?? !needsID else {
            throw refusal("client_id is missing or unknown.")
        }
        return (form, client)
    }

    /// Returns the client that the request names: by `client_id`, by Basic credentials, or by the `sub` of its client assertion.
    ///
    /// If the client id is missing, the result is the first client. The caller then refuses the request, because the id is missing or the
    /// credentials are not valid.
    private func client(_ request: SandboxRequest, _ form: OAuthParameters) throws(OAuthRefusal) -> SandboxOpenIDClient
    {
        var name = form["client_id"]
        if name == nil, let header = request.header("authorization") {
            name = Self.credentials(header).flatMap { FormText.decodeField($0.id) }
        }
        if name == nil, let assertion = form["client_assertion"] {
            name = (try? ClientToken(assertion))?.claims["sub"]?.string
        }
        guard let name else { return configuration.client }
        guard let client = configuration.client(id: name) else { throw refusal("The client is unknown.") }
        return client
    }

    private static func credentials(_ header: String) -> (id: String, secret: String)? {
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic", let bytes = Base64.decode(String(parts[1])),
            let pair = String(validating: bytes, as: UTF8.self), let colon = pair.firstIndex(of: ":")
        else { return nil }
        return (String(pair[..<colon]), String(pair[pair.index(after: colon)...]))
    }

    private func method(
        _ request: SandboxRequest,
        _ form: OAuthParameters
    ) throws(OAuthRefusal) -> SandboxOpenIDConfiguration.ClientAuthentication {
        var found: [SandboxOpenIDConfiguration.ClientAuthentication] = []
        if request.header("authorization") != nil { found.append(.clientSecretBasic) }
        if form["client_secret"] != nil { found.append(.clientSecretPost) }
        if form["client_assertion"] != nil || form["client_assertion_type"] != nil { found.append(.privateKeyJWT) }
        guard found.count <= 1 else {
            let names = found.map(\.rawValue).joined(separator: " and ")
            throw .invalidRequest("The client used more than one method of authentication: \(names).")
        }
        return found.first ?? .none
    }

    /// Returns the `alg` of the client assertion if it names an HMAC (`HS256`, for example), otherwise nil; the signature is not checked.
    private static func symmetricAssertion(_ form: OAuthParameters) -> String? {
        let parts = (form["client_assertion"] ?? "").split(separator: ".", maxSplits: 1)
        guard let header = parts.first.flatMap({ Base64URL.decode(String($0)) }),
            let name = (try? JSONValue(parsing: header))?["alg"]?.string, name.hasPrefix("HS")
        else { return nil }
        return name
    }

    /// Creates `invalid_client` with 401 and a Basic challenge, which RFC 6749 section 5.2 requires if the client used HTTP Basic.
    private func refusal(_ description: String) -> OAuthRefusal {
        let challenge = [(name: "WWW-Authenticate", value: "Basic realm=\"sandbox\"")]
        return OAuthRefusal("invalid_client", description, status: 401, headers: challenge)
    }

    private func checkBasic(_ header: String, _ client: SandboxOpenIDClient) throws(OAuthRefusal) {
        guard let (rawID, rawSecret) = Self.credentials(header) else {
            throw refusal("The Authorization header has no Basic credentials.")
        }
        let expected = client.clientSecret ?? ""
        guard let id = FormText.decodeField(rawID), let secret = FormText.decodeField(rawSecret),
            secret.isIdentical(to: expected) || !rawSecret.isIdentical(to: expected)
        else { throw refusal("Client id and secret must be form-encoded before the base64 encoding of HTTP Basic.") }
        guard id.isIdentical(to: client.clientID) else { throw refusal("The client is unknown.") }
        try checkSecret(secret, client)
    }

    private func checkSecret(_ secret: String, _ client: SandboxOpenIDClient) throws(OAuthRefusal) {
        guard let expected = client.clientSecret, secret.isIdentical(to: expected) else {
            throw refusal("The client secret is wrong, or client_id is unknown.")
        }
    }

    private func checkAssertion(
        _ form: OAuthParameters,
        _ client: SandboxOpenIDClient,
        _ usedIDs: inout UsedIDs,
        _ now: Date
    ) throws(OAuthRefusal) {
        guard form["client_assertion_type"].map({ $0.isIdentical(to: Self.assertionType) }) ?? false else {
            throw refusal("client_assertion_type must be \(Self.assertionType).")
        }
        do throws(TokenFlaw) {
            let token = try ClientToken(form["client_assertion"] ?? "")
            try verify(token, client)
            let expiry = try checkClaims(token, client, now)
            guard usedIDs.take(try token.text("jti"), until: expiry, now: now) else {
                throw TokenFlaw("its jti was used before")
            }
        } catch {
            throw refusal("The server rejected the client assertion: \(error.reason).")
        }
    }

    private func verify(_ token: ClientToken, _ client: SandboxOpenIDClient) throws(TokenFlaw) {
        if let type = token.header["typ"] {
            let known = ["JWT", "client-authentication+jwt"]
            guard let name = type.string, known.contains(where: { $0.isIdentical(to: name) }) else {
                throw TokenFlaw("its typ is not one of \(known.joined(separator: ", "))")
            }
        }
        let algorithm = try token.algorithm(among: configuration.clientSigningAlgorithms)
        var candidates = try client.clientKeys.map { jwk throws(TokenFlaw) in try ClientKey(jwk: jwk) }
        if let keyID = token.header["kid"] {
            candidates = candidates.filter { $0.keyID.map(JSONValue.string) == keyID }
            guard !candidates.isEmpty else { throw TokenFlaw("its kid names no registered key") }
        }
        candidates = candidates.filter { $0.verification.supports(algorithm) }
        var flaw = TokenFlaw("its alg \(algorithm.rawValue) does not fit the key")
        for key in candidates {
            do throws(TokenFlaw) { return try token.verify(with: key, algorithm) } catch { flaw = error }
        }
        throw flaw
    }

    /// Checks the claims of a client assertion, and returns the time at which it expires.
    private func checkClaims(
        _ token: ClientToken,
        _ client: SandboxOpenIDClient,
        _ now: Date
    ) throws(TokenFlaw) -> Date {
        for name in ["iss", "sub"] where try !token.text(name).isIdentical(to: client.clientID) {
            throw TokenFlaw("its \(name) is not the client_id")
        }
        // `aud` must name one server. Otherwise a server that received the assertion could send it to another server in `aud`, and act as
        // the client there.
        guard let audience = token.claims["aud"]?.string else { throw TokenFlaw("its aud is not a single string") }
        guard audience.isIdentical(to: issuer) else { throw TokenFlaw("its aud is not the issuer \(issuer)") }
        guard let expiry = try token.time("exp") else { throw TokenFlaw("its exp is missing") }
        guard expiry > now else { throw TokenFlaw("it has expired") }
        guard expiry <= now + Self.longestAssertion else {
            throw TokenFlaw("its exp is more than \(Int(Self.longestAssertion)) seconds away")
        }
        if let start = try token.time("nbf"), start > now + 10 { throw TokenFlaw("its nbf is in the future") }
        if let issued = try token.time("iat"), issued > now + 10 { throw TokenFlaw("its iat is in the future") }
        return expiry
    }
}
