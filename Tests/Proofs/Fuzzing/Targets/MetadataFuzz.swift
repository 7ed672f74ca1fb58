import IdentityHTTP
import IdentityKit
import IdentityOIDC

/// Checks that an accepted discovery document has an issuer, and only https endpoints.
enum MetadataFuzz {
    static func check(_ input: [UInt8]) throws {
        for allowsLoopback in [false, true] {
            let metadata: ProviderMetadata
            do {
                metadata = try ProviderMetadata(parsing: input, allowsLoopbackHTTP: allowsLoopback)
            } catch let error as IdentityError {
                try require(error.code == .discoveryFailed, "the error code differs")
                continue
            }
            let document = try require((try? JSONValue(parsing: input))?.object, "accepted without an object")
            try require(document["issuer"]?.string?.isIdentical(to: metadata.issuer) ?? false, "the issuer differs")
            try require(!metadata.issuer.isEmpty, "an empty issuer")
            let endpoints: [(String, HTTPURL?)] = [
                ("authorization_endpoint", metadata.authorizationEndpoint),
                ("token_endpoint", metadata.tokenEndpoint), ("jwks_uri", metadata.keySetURL),
                ("end_session_endpoint", metadata.endSessionEndpoint),
                ("userinfo_endpoint", metadata.userInfoEndpoint),
                ("pushed_authorization_request_endpoint", metadata.pushedAuthorizationRequestEndpoint),
                ("revocation_endpoint", metadata.revocationEndpoint),
                ("device_authorization_endpoint", metadata.deviceAuthorizationEndpoint),
            ]
            for (name, url) in endpoints {
                guard let url else { continue }
                try require(document[name]?.string?.isIdentical(to: url.text) ?? false, "\(name) differs")
                try require(url.isSecure || allowsLoopback && url.isLoopback, "\(name) is not https")
            }
        }
    }
}
