package import IdentityHTTP
package import IdentityKit

/// A successful response of a device authorization endpoint (RFC 8628 section 3.2).
package struct DeviceAuthorizationResponse: Sendable {
    package var deviceCode: Secret
    package var userCode: String
    package var verificationURI: HTTPURL
    package var verificationURIComplete: HTTPURL?
    package var lifetime: Duration
    package var interval: Duration

    /// A limit in seconds, because RFC 8628 sets no maximum: a longer lifetime is shortened, and a longer interval is refused.
    private static let longest = 86_400.0

    package init(_ object: JSONObject, allowsLoopbackHTTP: Bool) throws(IdentityError) {
        func page(_ name: String, formerly oldName: String) throws(IdentityError) -> HTTPURL? {
            guard let value = object[name] ?? object[oldName], !value.isNull else { return nil }
            guard let text = value.string, text.utf8.count <= 2048, let url = try? HTTPURL(text),
                url.isSecure(orLoopback: allowsLoopbackHTTP)
            else { throw Self.invalid(name) }
            return url
        }
        func duration(_ name: String, _ isPermitted: (Double) -> Bool) throws(IdentityError) -> Duration? {
            guard let value = object[name], !value.isNull else { return nil }
            guard let seconds = TokenResponse.seconds(value), isPermitted(seconds) else { throw Self.invalid(name) }
            return .seconds(min(seconds, Self.longest))
        }
        // Only printable ASCII is accepted in the codes: control characters in the user code could change what a terminal shows.
        guard let code = object["device_code"]?.string, (1...4096).contains(code.utf8.count),
            code.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { throw Self.invalid("device_code") }
        deviceCode = Secret(code)
        guard let shown = object["user_code"]?.string, (1...64).contains(shown.utf8.count),
            shown.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), shown.utf8.first != 0x20, shown.utf8.last != 0x20
        else { throw Self.invalid("user_code") }
        userCode = shown
        // Google still sends `verification_url`, the name from before RFC 8628.
        guard let uri = try page("verification_uri", formerly: "verification_url") else {
            throw Self.invalid("verification_uri")
        }
        verificationURI = uri
        verificationURIComplete = try page("verification_uri_complete", formerly: "verification_url_complete")
        guard let lifetime = try duration("expires_in", { $0 > 0 }) else { throw Self.invalid("expires_in") }
        self.lifetime = lifetime
        interval = try duration("interval", { $0 >= 0 && $0 <= Self.longest }) ?? .seconds(5)
    }

    private static func invalid(_ member: String) -> IdentityError {
        ProviderEndpoint.deviceAuthorization.unusable(
            "is invalid: its member \(member) is missing or has an invalid value",
            reference: "RFC 8628 section 3.2"
        )
    }
}

extension DeviceAuthorizationResponse: Redacted {
    package var description: String { "DeviceAuthorizationResponse(<redacted>)" }
}
