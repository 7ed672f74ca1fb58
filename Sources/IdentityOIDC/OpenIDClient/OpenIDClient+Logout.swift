package import IdentityKit

extension OpenIDClient {
    /// Validates a logout token as `LogoutTokenValidator` does, with this provider's keys for this client.
    package func validate(logoutToken: Secret) async throws -> LogoutNotice {
        let metadata = try await metadataSource.metadata()
        let token = try LogoutTokenValidator.read(logoutToken, expecting: expectations(metadata))
        guard let url = metadata.keySetURL else { throw Self.missing(.keySet) }
        return try await keySource.verifyingUnsolicited(with: url, keyID: token.keyID) { try token.verify($0) }
    }
}
