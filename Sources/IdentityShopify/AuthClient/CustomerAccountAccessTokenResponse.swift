internal import FoundationEssentials
public import IdentityKit

/// The response of Shopify's token endpoint, with the names of Shopify's guide.
///
/// The members are strings, so that the code of the guide compiles unchanged. Printing, dumping or reflecting the value shows no token,
/// and the value cannot be encoded.
///
/// An app that sends the token request itself can decode the value from Shopify's JSON, as the guide does. In this case the ID token is not
/// verified.
public struct CustomerAccountAccessTokenResponse: Sendable {
    /// The tokens; they may be unverified.
    let tokenSet: TokenSet

    /// The tokens as a `TokenSet`, for example for `SessionManager.establish(_:provider:)`.
    ///
    /// - Throws: `IdentityError` with code `id_token_missing` if no verified ID token says who the buyer is. This happens if the app
    ///   decoded the response from JSON. It also happens after a refresh if the client did not have the tokens of the login, and Shopify's
    ///   response contained no ID token.
    public var tokens: TokenSet {
        get throws(IdentityError) {
            guard !tokenSet.buyer.subject.isEmpty else {
                throw IdentityError(
                    .rejected,
                    .idTokenMissing,
                    "These tokens have no verified ID token, so the buyer is not known.",
                    hint:
                        "Use the response of requestAccessToken, completeLogin or login, which verify the ID token. The response of "
                        + "refreshAccessToken has the buyer only while this AuthClient still has the tokens of the login, or if Shopify "
                        + "sends an ID token. Otherwise let the buyer sign in again.",
                    reference: "OpenID Connect Core section 3.1.3.7"
                )
            }
            return tokenSet
        }
    }

    /// The access token; send it unchanged and without `Bearer` to the Customer Account API and as a cart's `customerAccessToken`.
    public var accessToken: String { tokenSet.accessToken.reveal() }

    /// The lifetime of the access token in seconds, from the start of the token request.
    ///
    /// 0 means unknown: the response to a refresh had no usable `expires_in`, and the client did not have the tokens of the login.
    public var expiresIn: Int {
        (tokenSet.expiresAt?.timeIntervalSince(tokenSet.issuedAt)).flatMap { Int(exactly: $0.rounded()) } ?? 0
    }

    /// The ID token, which a logout needs.
    ///
    /// If the response to a refresh contains no ID token, the value is the ID token of the login; nil if the client does not have that ID
    /// token.
    public var idToken: String? { tokenSet.idToken?.reveal() }

    /// The refresh token: use it once, then store the new refresh token that the refresh returns.
    ///
    /// Nil if Shopify sent no refresh token, for example to a client of type `app`.
    public var refreshToken: String? { tokenSet.refreshToken?.reveal() }

    /// The token type; `Bearer` if the response has no `token_type`.
    public var tokenType: String { tokenSet.tokenType }
}

/// The name of ``CustomerAccountAccessTokenResponse`` in Shopify's tutorial.
public typealias OAuthTokenResult = CustomerAccountAccessTokenResponse

/// The name of ``CustomerAccountAccessTokenResponse`` in the guide's section on refresh.
public typealias RefreshedTokenResponse = CustomerAccountAccessTokenResponse

extension CustomerAccountAccessTokenResponse: Decodable {
    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case expiresIn = "expires_in"
        case idToken = "id_token"
        case refreshToken = "refresh_token"
        case tokenType = "token_type"
    }

    /// Reads the JSON of Shopify's token endpoint.
    ///
    /// `access_token` and `expires_in` are required. `token_type`, `id_token` and `refresh_token` may be missing. The ID token is not
    /// verified, so ``tokens`` throws an error.
    ///
    /// - Throws: `DecodingError` for a missing member or a wrong type; `IdentityError` with code `token_response_invalid` for an empty
    ///   access token or a lifetime that is not positive.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        func secret(_ key: CodingKeys) throws -> Secret? {
            try members.decodeIfPresent(String.self, forKey: key).map { Secret($0) }
        }
        let accessToken = try members.decode(String.self, forKey: .accessToken)
        let expiresIn = try members.decode(Int.self, forKey: .expiresIn)
        guard !accessToken.isEmpty, expiresIn > 0 else {
            throw IdentityError(
                .rejected,
                .tokenResponseInvalid,
                "The token response has an empty access_token or an expires_in that is not positive.",
                hint: "Check that the JSON is the response of Shopify's token endpoint, with status 200.",
                reference: "RFC 6749 section 5.1"
            )
        }
        // The time of the token request is unknown. `expiresIn` uses only the difference between `issuedAt` and `expiresAt`.
        let start = Date(timeIntervalSince1970: 0)
        tokenSet = TokenSet(
            buyer: Buyer(issuer: "", subject: ""),
            accessToken: Secret(accessToken),
            tokenType: try members.decodeIfPresent(String.self, forKey: .tokenType) ?? "Bearer",
            refreshToken: try secret(.refreshToken),
            idToken: try secret(.idToken),
            issuedAt: start,
            expiresAt: start.addingTimeInterval(TimeInterval(expiresIn))
        )
    }
}

extension CustomerAccountAccessTokenResponse: Redacted {
    /// The kinds of the tokens and the lifetime, without the tokens themselves.
    public var description: String {
        let others = [("refresh token", tokenSet.refreshToken), ("ID token", tokenSet.idToken)]
            .compactMap { $1 == nil ? nil : $0 }
        return "CustomerAccountAccessTokenResponse(\((["access token"] + others).joined(separator: ", ")), "
            + "expires in \(expiresIn) s)"
    }
}
