internal import IdentityHTTP
internal import IdentityKit

/// Reads the response of a UserInfo endpoint (OpenID Connect Core section 5.3).
enum UserInfoResponse {
    enum Content {
        case object(JSONObject)
        /// A signed token, which is not validated yet.
        case token(Secret)
    }

    static func content(of response: HTTPResponse, hiding redacted: RequestSecrets) throws -> Content {
        let status = response.status
        func failure(
            _ kind: IdentityError.Kind,
            _ code: IdentityError.Code,
            _ message: String,
            _ hint: String,
            reference: String = "OpenID Connect Core section 5.3.2",
            answer: IdentityError.ProviderResponse? = nil
        ) -> IdentityError {
            IdentityError(
                kind,
                code,
                message,
                hint: hint,
                reference: reference,
                retryAfter: code == .providerUnavailable ? response.headers.retryAfter : nil,
                providerResponse: answer ?? IdentityError.ProviderResponse(status: status)
            )
        }
        if status == 401 {
            throw IdentityError.refusal(in: response.headers, of: "The UserInfo endpoint", hiding: redacted)
        }
        let challenges = AuthenticationChallenge.all(in: response.headers)
        // An HTML page without a challenge usually comes from a firewall or a proxy, which has not checked the token. So the status of the
        // page does not mean that the token is bad.
        let isPage = response.body.first { $0 > 0x20 } == UInt8(ascii: "<") && challenges.isEmpty
        if status == 403, !isPage {
            // A refresh would not help: the endpoint would also refuse a new access token with the same scopes.
            throw failure(
                .rejected,
                .insufficientScope,
                "The UserInfo endpoint denied access with this access token (HTTP 403).",
                "Read providerResponse of this error. If the token's scopes are not sufficient, add profile or email to scopes in the "
                    + "provider's configuration. Then let the buyer sign in again.",
                reference: "RFC 6750 section 3.1",
                answer: AuthenticationChallenge.answer(challenges, status: status, hiding: redacted)
            )
        }
        let object = (try? JSONValue(parsing: response.body))?.object
        if (400..<500).contains(status), ![408, 425, 429].contains(status), let object {
            // The kind is `rejected`, because a repeated request would get the same response.
            throw failure(
                .rejected,
                .unexpectedResponse,
                "The UserInfo endpoint rejected the request (HTTP \(status)).",
                "Read providerResponse of this error. Check endpoints.userInfo, or userinfo_endpoint of the provider's metadata.",
                reference: "RFC 6750 section 3.1",
                answer: IdentityError.ProviderResponse(
                    error: object["error"]?.string,
                    errorDescription: object["error_description"]?.string,
                    errorURI: object["error_uri"]?.string,
                    status: status
                ).hiding(redacted)
            )
        }
        if response.isOutage {
            throw failure(
                .retryLater,
                .providerUnavailable,
                "The UserInfo endpoint cannot process the request at the moment (HTTP \(status)).",
                "Try again later."
            )
        }
        if (300..<400).contains(status) {
            throw failure(
                .rejected,
                .redirectRefused,
                "The UserInfo endpoint returned a redirect, which was not followed.",
                "If the redirect leads to an address of the provider, set endpoints.userInfo to that address."
            )
        }
        if status == 200, MediaType.jwt.matches(response.headers["Content-Type"]) {
            guard !UserInfoToken.isEncrypted(response.body) else {
                throw failure(
                    .configuration,
                    .unsupportedByProvider,
                    "The UserInfo endpoint sends an encrypted token, which is not supported.",
                    "Register the client at the provider without userinfo_encrypted_response_alg. A signed token is supported."
                )
            }
            return .token(Secret(bytes: response.body))
        }
        if status == 200, let object { return .object(object) }
        // An HTML page, an empty body or a status other than 200 may come from an outage, so another attempt may succeed. After any other
        // unusable body, the same request would return the same body.
        let isInvalid = status == 200 && UnreadableDocument.errorKind(for: response.body) == .rejected
        throw failure(
            isInvalid ? .rejected : .retryLater,
            .unexpectedResponse,
            "The UserInfo endpoint did not return a JSON object (HTTP \(status)).",
            isInvalid
                ? "Check endpoints.userInfo, or userinfo_endpoint of the provider's metadata. The response was not used."
                : "Try again later. If every attempt fails, check endpoints.userInfo, or userinfo_endpoint of the provider's metadata."
        )
    }

    static func claims(
        _ object: JSONObject,
        for known: Buyer,
        acceptingNumericSubject acceptsNumericSubject: Bool
    ) throws(IdentityError) -> UserInfoClaims {
        let subject = SignedTokenChecks.subject(object, acceptingNumber: acceptsNumericSubject)
        guard let subject, subject.isIdentical(to: known.subject) else { throw .foreignUserInfo }
        return UserInfoClaims(issuer: known.issuer, subject: known.subject, all: object)
    }

    /// The buyer whom the claims describe; `known` supplies the addresses, and a name, email or phone number that the claims lack.
    static func buyer(from claims: UserInfoClaims, for known: Buyer) -> Buyer {
        var buyer = IDTokenClaims(issuer: claims.issuer, subject: claims.subject, all: claims.all).standardBuyer
        buyer.email = buyer.email ?? known.email
        buyer.phone = buyer.phone ?? known.phone
        let hasName = buyer.givenName != nil || buyer.familyName != nil || buyer.displayName != nil
        buyer.hasUnverifiedName = !hasName && known.hasUnverifiedName
        // An unverified name of the login must not complete a name in the claims.
        if !hasName || !known.hasUnverifiedName {
            buyer.givenName = buyer.givenName ?? known.givenName
            buyer.familyName = buyer.familyName ?? known.familyName
            buyer.displayName = buyer.displayName ?? known.displayName
        }
        buyer.addresses = known.addresses
        return buyer
    }
}
