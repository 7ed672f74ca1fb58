internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC

/// Makes a token set of the second controller's answer.
struct SFCCTokenReader: Sendable {
    private static let assumedLifetime: TimeInterval = 1800
    private static let leeway: TimeInterval = 60
    private static let algorithms: [SignatureAlgorithm] = [.rs256, .ps256, .es256]

    let configuration: SFCCConfiguration
    let setup: ResolvedSFCCConfiguration
    let httpClient: ProviderHTTPClient
    private let keySource: KeySetSource

    init(configuration: SFCCConfiguration, setup: ResolvedSFCCConfiguration, httpClient: ProviderHTTPClient) {
        self.configuration = configuration
        self.setup = setup
        self.httpClient = httpClient
        keySource = KeySetSource(httpClient: httpClient, provider: configuration.name)
    }

    func read(_ answer: SFCCResponse, startedAt: Date, replacing old: TokenSet?) async throws -> TokenSet {
        if let refusal = answer.refusal {
            let endsSession = old != nil && refusal.code == .invalidGrant
            throw endsSession ? refusal.recast(as: .signInAgain) : refusal
        }
        guard let token = try answer.token(configuration.tokenJSONPaths) else { throw answer.unexpected }
        let signature: JSONWebToken
        do {
            signature = try JSONWebToken(parsing: token)
        } catch {
            throw Self.malformed("is no JWT", cause: error)
        }
        let isVerified = try await verify(signature)
        let buyer = try buyer(signature.payload, token, isVerified: isVerified)
        if let old, !old.buyer.isSamePerson(as: buyer), signature.payload["sub"] != nil {
            throw Self.malformed("is another shopper's than before")
        }
        var tokens = TokenSet(
            buyer: old?.buyer ?? buyer,
            accessToken: token,
            refreshToken: (answer.beside("refresh_token")?.string).flatMap { $0.isEmpty ? nil : Secret($0) }
                ?? old?.refreshToken,
            issuedAt: startedAt,
            expiresAt: try expiry(answer, signature.payload, startedAt)
        )
        tokens.scopes = (answer.beside("scope")?.string).map { TokenResponse.scopes($0) } ?? old?.scopes ?? []
        return tokens
    }

    /// The earlier of what the answer and the token say; half an hour, an SFCC session's life, where neither does.
    private func expiry(_ answer: SFCCResponse, _ claims: JSONObject, _ startedAt: Date) throws -> Date {
        var expiries: [Date] = []
        if let value = answer.beside("expires_in") {
            let seconds = value.number?.double ?? (value.string).flatMap { Int($0) }.map { Double($0) }
            guard let seconds, seconds > 0, seconds <= 10 * 366 * 86_400 else {
                throw Self.malformed("comes with an expires_in that is no time")
            }
            expiries.append(startedAt + seconds)
        }
        if let value = claims["exp"] {
            guard let seconds = value.number?.double, (0...253_402_300_799).contains(seconds),
                Date(timeIntervalSince1970: seconds) + Self.leeway > startedAt
            else { throw Self.malformed("has expired or has an exp that is no time") }
            expiries.append(Date(timeIntervalSince1970: seconds))
        }
        return expiries.min() ?? startedAt + Self.assumedLifetime
    }

    /// Verifies the signature where a key set is configured.
    private func verify(_ signature: JSONWebToken) async throws -> Bool {
        guard let url = configuration.endpoints.jwks else { return false }
        try await keySource.verifying(with: url, keyID: signature.keyID) { keys in
            try signature.verify(keys: keys, algorithms: Self.algorithms)
        }
        return true
    }

    private func buyer(_ claims: JSONObject, _ token: Secret, isVerified: Bool) throws -> Buyer {
        func text(_ name: String) -> String? { (claims[name]?.string).flatMap { $0.isEmpty ? nil : $0 } }
        let subject = text("sub")
        guard (subject ?? "").utf8.count <= 255 else { throw Self.malformed("has no usable subject") }
        var buyer = Buyer(
            issuer: setup.storefront.origin + SFCCProvider.unverifiedIssuerSuffix,
            subject: try subject ?? "sha256:" + Base64URL.encode(Digest.sha256(token.revealBytes())),
            givenName: text("given_name") ?? text("first_name"),
            familyName: text("family_name") ?? text("last_name"),
            displayName: text("name")
        )
        func contact(_ name: String, _ flag: String) -> Buyer.Contact? {
            text(name).map { Buyer.Contact($0, isVerified: isVerified && claims[flag]?.bool == true) }
        }
        buyer.email = contact("email", "email_verified")
        buyer.phone = contact("phone_number", "phone_number_verified")
        guard isVerified else { return buyer }
        guard subject != nil else { throw Self.malformed("has no usable subject") }
        buyer.issuer = try issuer(claims)
        try checkAudience(claims)
        return buyer
    }

    /// The issuer of a verified token.
    ///
    /// A `#` marks unverified buyers and is never accepted.
    private func issuer(_ claims: JSONObject) throws(IdentityError) -> String {
        let issuer = claims["iss"]?.string ?? ""
        let issuers = configuration.issuers ?? []
        guard !issuer.utf8.contains(UInt8(ascii: "#")), issuers.contains(where: { $0.isIdentical(to: issuer) }) else {
            throw IdentityError(
                .rejected,
                .idTokenIssuer,
                "The storefront's token has no `iss`, or one that is not in `issuers`.",
                hint:
                    "Accepted: \(issuers.joined(separator: ", ")). What the token has is in the error's provider answer.",
                reference: "RFC 7519 section 4.1.1",
                providerAnswer: IdentityError.ProviderAnswer(error: issuer)
            )
        }
        return issuer
    }

    /// A token must be meant for one of the configured audiences (RFC 7519 section 4.1.3); it may name others beside it.
    private func checkAudience(_ claims: JSONObject) throws(IdentityError) {
        guard let audiences = configuration.audiences else { return }
        let claim = claims["aud"]
        let named = (claim?.string).map { [$0] } ?? claim?.strings ?? []
        guard named.contains(where: { name in audiences.contains { $0.isIdentical(to: name) } }) else {
            throw IdentityError(
                .rejected,
                .idTokenAudience,
                "The storefront's token has no `aud`, or none that is in `audiences`.",
                hint:
                    "Accepted: \(audiences.joined(separator: ", ")). What the token has is in the error's provider answer.",
                reference: "RFC 7519 section 4.1.3",
                providerAnswer: IdentityError.ProviderAnswer(error: named.joined(separator: " "))
            )
        }
    }

    private static func malformed(_ problem: String, cause: (any Error)? = nil) -> IdentityError {
        IdentityError(
            .rejected,
            .tokenResponseInvalid,
            "The storefront's token \(problem).",
            hint: "Nothing of it was kept. Check where in the answer the token stands (tokenJSONPaths).",
            reference: "RFC 7519 section 3",
            cause: cause
        )
    }
}
