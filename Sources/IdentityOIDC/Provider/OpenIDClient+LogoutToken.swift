package import IdentityKit

extension OpenIDClient {
    /// Validates a logout token as `LogoutTokenValidator` does, with this provider's keys for this client.
    package func validate(logoutToken: Secret) async throws -> LogoutNotice {
        let metadata = try await metadataSource.metadata()
        let expected = expectations(metadata)
        return try await withKeys(for: logoutToken, metadata) { keys in
            try LogoutTokenValidator.validate(logoutToken, keys: keys, expecting: expected)
        }
    }
}
