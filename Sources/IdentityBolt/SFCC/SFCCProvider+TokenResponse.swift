internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC

extension SFCCProvider {
    private static let assumedLifetime: TimeInterval = 1800
    /// The prefix of a buyer's subject if the token has no `sub`: the SHA-256 digest of the token follows.
    private static let digestPrefix = "sha256:"

    func read(_ response: SFCCResponse, startedAt: Date, replacing old: TokenSet?) async throws -> TokenSet {
        if let error = response.error {
            throw old == nil ? error : Self.refreshError(error)
        }
        guard let token = response.token else { throw response.withoutToken }
        let claims: JSONObject
        do {
            claims = try JWTSignatureVerifier.unverifiedClaims(of: token)
        } catch {
            throw Self.malformed(
                "is not a usable JWT",
                hint:
                    "Check the Authorization header of the storefront's response. If the response has no such header, check what "
                    + "tokenJSONPaths select in the response.",
                cause: error
            )
        }
        if let old { try refuseTokenOfAnotherBuyer(claims, token, old) }
        do {
            _ = try await verifier?.verifiedClaims(of: token)
        } catch {
            let error = IdentityError.wrapping(error)
            throw old == nil ? error : error.afterTokenResponse
        }
        let buyer = try buyer(claims, token)
        return TokenSet(
            buyer: old?.buyer ?? buyer,
            accessToken: token,
            refreshToken: (response.member("refresh_token")?.string).flatMap { $0.isEmpty ? nil : Secret($0) }
                ?? old?.refreshToken,
            scopes: (response.member("scope")?.string).map { TokenResponse.scopes($0) } ?? old?.scopes ?? [],
            issuedAt: startedAt,
            expiresAt: try expiry(response, claims, startedAt, isRefresh: old != nil)
        )
    }

    /// The error of a rejected refresh; only `invalid_grant` gets the kind that ends the session.
    static func refreshError(_ error: IdentityError) -> IdentityError {
        if error.code == .invalidGrant {
            return error.recast(
                as: .signInAgain,
                message: "The SFCC storefront no longer accepts the refresh token.",
                hint: "Let the buyer sign in again."
            )
        }
        guard error.kind == .rejected else { return error }
        return error.recast(
            hint:
                "If every refresh fails, compare the URL of the token exchange and extraForm with the storefront's controller. Ask the "
                + "storefront's developers whether the controller supports a refresh. This call did not end the session."
        )
    }

    /// Throws an error with `isAttackSuspected` if a refresh's new token belongs to another buyer, or has a wrong issuer or audience.
    ///
    /// `read` calls this function before it verifies the signature, so that another buyer's token is reported even if the keys cannot be
    /// fetched.
    private func refuseTokenOfAnotherBuyer(_ claims: JSONObject, _ token: Secret, _ old: TokenSet) throws {
        do {
            let buyer = try buyer(claims, token)
            // Without `sub`, the subject is the token's digest, so a new token has another subject than the session.
            let hasNoSubject = claims["sub"] == nil && old.buyer.subject.utf8.starts(with: Self.digestPrefix.utf8)
            guard descriptor.isSamePerson(old.buyer, as: buyer) || hasNoSubject else {
                throw Self.malformed(
                    "belongs to another buyer than the session",
                    hint: "Ask the storefront's developers why the storefront returned the token of another login."
                )
            }
        } catch {
            let error = IdentityError.wrapping(error)
            throw error.kind == .rejected ? error.suspectingAttack : error
        }
    }

    /// When the token expires: the earlier of the response's `expires_in` and the token's `exp`.
    ///
    /// If both are missing, the result is half an hour after the request: the lifetime of Salesforce's SLAS tokens. In the response to a
    /// refresh, an invalid `expires_in` counts as missing, because an error would lose the new refresh token.
    private func expiry(
        _ response: SFCCResponse,
        _ claims: JSONObject,
        _ startedAt: Date,
        isRefresh: Bool
    ) throws -> Date {
        var expiries: [Date] = []
        if let value = response.member("expires_in") {
            if let seconds = TokenResponse.lifetime(value) {
                expiries.append(startedAt + seconds)
            } else if !isRefresh {
                throw Self.malformed(
                    "came with an expires_in that is not a valid lifetime",
                    hint: "Ask the storefront's developers to send the lifetime in seconds."
                )
            }
        }
        if let value = claims["nbf"] {
            guard let seconds = value.number?.double,
                seconds <= startedAt.timeIntervalSince1970 + ClockTolerance.seconds
            else {
                throw Self.malformed(
                    "is not valid yet, or has an nbf that is not a valid time",
                    hint:
                        "Check this machine's clock. If the clock is right, ask the storefront's developers to correct nbf: it must be a "
                        + "number of seconds since 1970."
                )
            }
        }
        if let value = claims["exp"] {
            guard let seconds = value.number?.double, (0...253_402_300_799).contains(seconds),
                Date(timeIntervalSince1970: seconds) + ClockTolerance.seconds > startedAt
            else {
                throw Self.malformed(
                    "has expired, or has an exp that is not a valid time",
                    hint:
                        "Check this machine's clock. If the clock is right, ask the storefront's developers how long a token is valid. "
                        + "exp must be a number of seconds since 1970."
                )
            }
            expiries.append(Date(timeIntervalSince1970: seconds))
        }
        return expiries.min() ?? startedAt + Self.assumedLifetime
    }

    private func buyer(_ claims: JSONObject, _ token: Secret) throws -> Buyer {
        let isVerified = verifier != nil
        func text(_ name: String) -> String? { (claims[name]?.string).flatMap { $0.isEmpty ? nil : $0 } }
        let subject = text("sub")
        guard (subject ?? "").utf8.count <= 255 else { throw Self.invalidSubject }
        var buyer = Buyer(
            issuer: resolved.unverifiedIssuer,
            subject: try subject ?? Self.digestPrefix + Base64URL.encode(Digest.sha256(token.bytes)),
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
        guard subject != nil else { throw Self.invalidSubject }
        buyer.issuer = try issuer(claims)
        try checkAudience(claims)
        return buyer
    }

    /// The issuer of a verified token; an issuer with `#` is refused, because `#` marks unverified buyers.
    private func issuer(_ claims: JSONObject) throws(IdentityError) -> String {
        let issuer = claims["iss"]?.string ?? ""
        let issuers = configuration.issuers ?? []
        guard !issuer.utf8.contains(UInt8(ascii: "#")), issuers.contains(where: { $0.isIdentical(to: issuer) }) else {
            throw IdentityError(
                .rejected,
                .idTokenIssuer,
                "The `iss` of the SFCC storefront's token is missing, is not in `issuers`, or contains `#`.",
                hint:
                    "Compare issuers (\(issuers.joined(separator: ", "))) with the token's iss in providerResponse of this error. "
                    + "Correct issuers only if that iss is the storefront's. If iss is missing or contains #, ask the storefront's "
                    + "developers to change iss.",
                reference: "RFC 7519 section 4.1.1",
                providerResponse: IdentityError.ProviderResponse(error: issuer)
            )
        }
        return issuer
    }

    private func checkAudience(_ claims: JSONObject) throws(IdentityError) {
        guard let audiences = configuration.audiences else { return }
        let claim = claims["aud"]
        let named = (claim?.string).map { [$0] } ?? claim?.strings ?? []
        guard named.contains(where: { name in audiences.contains { $0.isIdentical(to: name) } }) else {
            throw IdentityError(
                .rejected,
                .idTokenAudience,
                "The `aud` of the SFCC storefront's token is missing, or contains no value of `audiences`.",
                hint:
                    "Compare audiences (\(audiences.joined(separator: ", "))) with the token's aud in providerResponse of this error. "
                    + "Correct audiences only if that aud names this client or site. If aud is missing, ask the storefront's developers "
                    + "to add aud.",
                reference: "RFC 7519 section 4.1.3",
                providerResponse: IdentityError.ProviderResponse(error: named.joined(separator: " "))
            )
        }
    }

    private static var invalidSubject: IdentityError {
        malformed(
            "has no `sub`, or its `sub` is empty, not a string, or longer than 255 bytes",
            hint: "Ask the storefront's developers to put the buyer's id into `sub`, as a string of at most 255 bytes."
        )
    }

    private static func malformed(_ problem: String, hint: String, cause: (any Error)? = nil) -> IdentityError {
        IdentityError(
            .rejected,
            .tokenResponseInvalid,
            "The token of the SFCC storefront \(problem).",
            hint: hint,
            reference: "RFC 7519 section 3",
            cause: cause
        )
    }
}
