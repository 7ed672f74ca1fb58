internal import IdentityHTTP
internal import IdentityKit

/// Reads the answer of a UserInfo endpoint (OpenID Connect Core section 5.3).
enum UserInfoResponse {
    /// Reads the buyer.
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - known: What the login verified.
    ///   - sent: What the request carried, which an error must not repeat.
    static func buyer(from response: HTTPResponse, for known: Buyer, hiding sent: RedactedValues) throws -> Buyer {
        if response.status == 401 {
            if let refusal = refusalOfProof(response) { throw refusal }
            throw IdentityError(
                .retryLater,
                .accessTokenRefused,
                "The provider refused the access token.",
                hint: "Renew it.",
                reference: "OpenID Connect Core section 5.3.3",
                providerAnswer: IdentityError.ProviderAnswer(status: response.status)
            )
        }
        if response.status == 403 {
            // No newer token of the same scopes would help, so none is asked for.
            throw IdentityError(
                .rejected,
                .insufficientScope,
                "The access token's scopes do not allow to ask for the buyer's profile.",
                hint: "Ask for the scopes profile or email at the login.",
                reference: "RFC 6750 section 3.1",
                providerAnswer: IdentityError.ProviderAnswer(status: response.status)
            )
        }
        if let refusal = refusal(in: response, sent) { throw refusal }
        let object = try object(of: response)
        guard let subject = object["sub"]?.string, subject.isIdentical(to: known.subject) else {
            throw IdentityError(
                .rejected,
                .idTokenSubject,
                "The UserInfo answer is about another buyer; nothing of it was used.",
                hint: "If it goes on, the provider mixes up its buyers.",
                reference: "OpenID Connect Core section 5.3.2"
            )
        }
        let claims = IDTokenClaims(
            issuer: known.issuer,
            subject: known.subject,
            authenticatedAt: nil,
            authorizedParty: nil,
            all: object
        )
        var buyer = claims.standardBuyer
        buyer.email = buyer.email ?? known.email
        buyer.phone = buyer.phone ?? known.phone
        buyer.givenName = buyer.givenName ?? known.givenName
        buyer.familyName = buyer.familyName ?? known.familyName
        buyer.displayName = buyer.displayName ?? known.displayName
        buyer.addresses = known.addresses
        return buyer
    }

    /// What a refused proof means; nil where it is the token that is refused.
    ///
    /// A newer token would need a proof as good, so none is asked for, and no refresh token is spent (RFC 9449
    /// section 7.1).
    private static func refusalOfProof(_ response: HTTPResponse) -> IdentityError? {
        let errors = AuthenticationChallenge.all(in: response.headers)
            .filter { $0.scheme == "dpop" }
            .compactMap { $0["error"] }
        guard let error = errors.first(where: { $0 == "invalid_dpop_proof" || $0 == "use_dpop_nonce" }) else {
            return nil
        }
        return TokenFailure(
            grant: .refreshToken,
            status: response.status,
            headers: response.headers,
            error: error,
            isJSON: false,
            endpoint: "UserInfo endpoint",
            endpointMember: "endpoints.api"
        ).standardError
    }

    /// The error for a refusal that asking again does not change: 4xx with JSON; nil for another answer.
    private static func refusal(in response: HTTPResponse, _ sent: RedactedValues) -> IdentityError? {
        guard (400..<500).contains(response.status), ![408, 425, 429].contains(response.status),
            let answer = (try? JSONValue(parsing: response.body))?.object
        else { return nil }
        return IdentityError(
            .rejected,
            .unexpectedResponse,
            "The UserInfo endpoint refused the request (HTTP \(response.status)).",
            hint: "Check the address of the endpoint (endpoints.api). What it said is in the error's provider answer.",
            reference: "RFC 6750 section 3.1",
            providerAnswer: IdentityError.ProviderAnswer(
                error: (answer["error"]?.string).map(sent.hidden),
                errorDescription: (answer["error_description"]?.string).map(sent.hidden),
                errorURI: (answer["error_uri"]?.string).map(sent.hidden),
                status: response.status
            )
        )
    }

    private static func object(of response: HTTPResponse) throws(IdentityError) -> JSONObject {
        func refusal(
            _ kind: IdentityError.Kind,
            _ code: IdentityError.Code,
            _ message: String,
            _ hint: String
        ) -> IdentityError {
            IdentityError(
                kind,
                code,
                message,
                hint: hint,
                reference: "OpenID Connect Core section 5.3.2",
                providerAnswer: IdentityError.ProviderAnswer(status: response.status)
            )
        }
        if (300..<400).contains(response.status) {
            throw refusal(
                .rejected,
                .redirectRefused,
                "The UserInfo endpoint answered with a redirect, which was not followed.",
                "Set endpoints.api to the address to which it leads, if that is the provider's."
            )
        }
        let mediaType = response.headers["Content-Type"].map { $0.prefix { $0 != ";" && $0 != " " }.lowercased() }
        if response.status == 200, mediaType == "application/jwt" {
            throw refusal(
                .configuration,
                .unsupportedByProvider,
                "The UserInfo endpoint answers with a signed token, which is not read here.",
                "Register the client without userinfo_signed_response_alg."
            )
        }
        if response.status == 200, let object = (try? JSONValue(parsing: response.body))?.object { return object }
        // JSON that two parsers could read in two ways does not get better by asking again.
        let isLie = response.status == 200 && UnreadableDocument.kind(ofUnreadable: response.body) == .rejected
        throw refusal(
            isLie ? .rejected : .retryLater,
            .unexpectedResponse,
            "The UserInfo endpoint did not answer with a JSON object (HTTP \(response.status)).",
            isLie ? "Nothing of it was used; look at what the endpoint sends." : "Try again in a while."
        )
    }
}
