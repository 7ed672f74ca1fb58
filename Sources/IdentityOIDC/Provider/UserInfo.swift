internal import IdentityHTTP
internal import IdentityKit

/// Reads the answer of a UserInfo endpoint (OpenID Connect Core section 5.3).
enum UserInfo {
    static func buyer(from response: HTTPResponse, for known: Buyer) throws -> Buyer {
        if response.status == 401 {
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
        guard response.status == 200, let object = (try? JSONValue(parsing: response.body))?.object else {
            throw IdentityError(
                .retryLater,
                .unexpectedResponse,
                "The UserInfo endpoint did not answer with JSON (HTTP \(response.status)).",
                hint: "Try again in a while.",
                reference: "OpenID Connect Core section 5.3.2",
                providerAnswer: IdentityError.ProviderAnswer(status: response.status)
            )
        }
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
}
