import Crypto
import Foundation
import JWTKit

/// Tokens and authorization requests with jwt-kit, swift-crypto and Foundation.
enum TokenPeers {
    static let all = [
        verification("RS256"),
        verification("ES256"),
        Peer(row: "authorization-request", name: "Foundation, swift-crypto", callers: 1) { _ in
            {
                let request = try AuthorizationRequest(endpoint: "https://id.benchmark.example/authorize")
                guard request.url.absoluteString.utf8.count > 200 else {
                    throw PeerFailure("The authorization URL is too short.")
                }
            }
        },
    ]

    private static func verification(_ algorithm: String) -> Peer {
        Peer(row: "verify-\(algorithm.lowercased())", name: "jwt-kit", callers: 1) { context in
            let keys = try await keys(of: context)
            let path = "\(context.folder)/id-token.\(algorithm.lowercased())"
            let token = try String(contentsOfFile: path, encoding: .utf8)
            return {
                let claims = try await keys.verify(token, as: IDTokenClaims.self)
                guard claims.nonce == "nonce-of-the-signed-token" else {
                    throw PeerFailure("The ID token has another nonce.")
                }
            }
        }
    }

    /// The keys that the provider serves.
    static func keys(of context: Context) async throws -> JWTKeyCollection {
        let client = HTTPPeers.client(connections: 1)
        let response = try await client.execute(
            .init(url: "http://127.0.0.1:\(context.port)/jwks"),
            timeout: .seconds(5)
        )
        let body = try await response.body.collect(upTo: 1 << 16)
        try await client.shutdown()
        return try await JWTKeyCollection().add(jwksJSON: String(buffer: body))
    }
}

struct IDTokenClaims: JWTPayload {
    let iss: IssuerClaim
    let sub: SubjectClaim
    let aud: AudienceClaim
    let exp: ExpirationClaim
    let nonce: String

    func verify(using algorithm: some JWTAlgorithm) async throws {
        try exp.verifyNotExpired()
        try aud.verifyIntendedAudience(includes: "benchmark-client")
        guard iss.value == "https://id.benchmark.example" else {
            throw JWTError.claimVerificationFailure(failedClaim: iss, reason: "another issuer")
        }
    }
}

/// PKCE, state, nonce and the URL.
struct AuthorizationRequest {
    let verifier = random()
    let state = random()
    let nonce = oneOfFew()
    let url: URL

    init(endpoint: String) throws {
        let challenge = Self.base64URL(SHA256.hash(data: Data(verifier.utf8)))
        guard var components = URLComponents(string: endpoint) else { throw PeerFailure("Not a URL.") }
        components.queryItems = [
            URLQueryItem(name: "response_type", value: "code"),
            URLQueryItem(name: "client_id", value: "benchmark-client"),
            URLQueryItem(name: "redirect_uri", value: "https://shop.example.com/auth/callback"),
            URLQueryItem(name: "scope", value: "openid email customer-account-api:full"),
            URLQueryItem(name: "state", value: state),
            URLQueryItem(name: "nonce", value: nonce),
            URLQueryItem(name: "code_challenge", value: challenge),
            URLQueryItem(name: "code_challenge_method", value: "S256"),
        ]
        guard let url = components.url else { throw PeerFailure("Not a URL.") }
        self.url = url
    }

    private static func random() -> String {
        SymmetricKey(size: .bits256).withUnsafeBytes { base64URL($0) }
    }

    /// One of 64 values, because the benchmark's provider signs one token for each nonce.
    private static func oneOfFew() -> String {
        SymmetricKey(size: .bits256).withUnsafeBytes { base64URL(repeatElement($0[0] % 64, count: 32)) }
    }

    private static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
        let text = Data(bytes).base64EncodedData().compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case UInt8(ascii: "="): nil
            default: byte
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
