internal import IdentityCrypto
public import IdentityHTTP
public import IdentityKit

/// Verifies the signatures of JWTs that are not ID tokens, with the keys that a provider publishes.
///
/// For ID tokens, use ``OpenIDClient``, which also validates the claims.
///
/// ```swift
/// let claims = try await verifier.verifiedClaims(of: token)
/// guard claims["iss"]?.string == "https://id.example" else { return nil }
/// ```
///
/// Only the algorithm and the signature are checked. The caller must check the claims, above all issuer, audience and times.
public struct JWTSignatureVerifier: Sendable {
    private let keySetURL: HTTPURL
    private let algorithms: [SignatureAlgorithm]
    private let keySource: KeySetSource

    /// Creates a verifier; no request is sent yet.
    ///
    /// `algorithms` are the accepted algorithms, by their JOSE names; unknown names are ignored. `provider` is the provider's name in
    /// events. `timeout` is how long one request may take. `allowsLoopbackHTTP` permits plain http to loopback addresses such as 127.0.0.1
    /// and [::1], for tests on one machine.
    public init(
        keySetURL: HTTPURL,
        algorithms: [String],
        provider: String,
        environment: IdentityEnvironment,
        timeout: Duration = ProviderDescriptor.defaultTimeout,
        allowsLoopbackHTTP: Bool = false
    ) {
        self.keySetURL = keySetURL
        self.algorithms = algorithms.compactMap { SignatureAlgorithm(name: $0) }
        let httpClient = ProviderHTTPClient(
            environment: environment,
            timeout: timeout,
            allowsLoopbackHTTP: allowsLoopbackHTTP,
            configured: [keySetURL]
        )
        keySource = KeySetSource(httpClient: httpClient, provider: provider)
    }

    /// Checks the algorithm, verifies the signature, and returns the claims of the token, which the caller must check.
    ///
    /// - Throws: `IdentityError`.
    public func verifiedClaims(of token: Secret) async throws -> JSONObject {
        let token = try JSONWebToken(parsing: token, as: "token")
        return try await keySource.verifying(with: keySetURL, keyID: token.keyID) { keys in
            try token.jws.verify(keys: keys, algorithms: algorithms)
            return token.claims
        }
    }

    /// The claims of a token without verification; they may be forged.
    ///
    /// - Throws: `IdentityError` with code `id_token_malformed` when the text is not a JWT of at most 32 KiB.
    public static func unverifiedClaims(of token: Secret) throws(IdentityError) -> JSONObject {
        try JSONWebToken(parsing: token, as: "token").claims
    }
}
