public import IdentityKit

extension OpenIDProvider: DeviceAuthorizing {
    /// Asks for a code that the buyer enters on another device, where the metadata list `device_authorization_endpoint`
    /// (RFC 8628 section 3.1).
    public func deviceAuthorization(_ options: LoginOptions) async throws -> DeviceAuthorization {
        try await client.deviceAuthorization(options)
    }

    /// Asks once whether the buyer has entered the code (RFC 8628 section 3.4).
    public func poll(_ authorization: DeviceAuthorization) async throws -> DevicePoll {
        try await client.poll(authorization)
    }
}
