import IdentityHTTP
import IdentityKit
import IdentityOIDC

/// Checks that an accepted device authorization response has a code that can be typed, and only https pages.
enum DeviceResponseFuzz {
    static func check(_ input: [UInt8]) throws {
        guard let object = (try? JSONValue(parsing: input))?.object else { return }
        for allowsLoopback in [false, true] {
            let response: DeviceAuthorizationResponse
            do {
                response = try DeviceAuthorizationResponse(object, allowsLoopbackHTTP: allowsLoopback)
            } catch {
                try require(error.code == .tokenResponseInvalid, "the error code differs")
                continue
            }
            try require(
                object["device_code"]?.string.map { Array($0.utf8) } == response.deviceCode.revealBytes(),
                "the device code differs"
            )
            try require(
                object["user_code"]?.string?.isIdentical(to: response.userCode) ?? false,
                "the user code differs"
            )
            try require(response.userCode.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "a code that cannot be typed")
            try require((1...64).contains(response.userCode.utf8.count), "the user code is too long")
            for url in [response.verificationURI, response.verificationURIComplete ?? response.verificationURI] {
                try require(url.isSecure || allowsLoopback && url.isLoopback, "a page that is not https")
            }
            try require(
                response.lifetime > .zero && response.lifetime <= .seconds(86_400),
                "the lifetime is out of range"
            )
            try require(
                response.interval >= .zero && response.interval <= .seconds(86_400),
                "the interval is out of range"
            )
        }
    }
}
