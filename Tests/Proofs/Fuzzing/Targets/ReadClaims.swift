import Foundation
import IdentityKit

/// Claims parsed by Foundation, to check accepted tokens independently.
struct ReadClaims {
    private let all: [String: Any]

    /// Parses claims; nil for numbers that a double cannot represent, which may be in an ignored claim.
    init?(_ payload: [UInt8]) {
        guard let all = (try? JSONSerialization.jsonObject(with: Data(payload))) as? [String: Any] else { return nil }
        self.all = all
    }

    func has(_ name: String) -> Bool { all[name] != nil }

    func isText(_ name: String, _ text: String) -> Bool {
        Self.same(all[name], text)
    }

    func time(_ name: String) throws -> Double? {
        guard let value = all[name] else { return nil }
        return try require((value as? NSNumber)?.doubleValue, "\(name) is not a number")
    }

    /// Checks the conditions that hold for every accepted token.
    func judge() throws {
        try require(isText("iss", "https://id.example"), "the issuer differs")
        let audience = (all["aud"] as? [Any]) ?? [all["aud"] as Any]
        try require(!audience.isEmpty && audience.allSatisfy { Self.same($0, "client-1") }, "the audience differs")
        try require(!has("azp") || isText("azp", "client-1"), "the azp differs")
        let now = Forge.now.timeIntervalSince1970
        try require(try require(time("exp"), "no expiry") > now - 60, "an expired token was accepted")
        try require(try require(time("iat"), "no iat") <= now + 60, "a token whose iat is in the future was accepted")
        try require(try time("nbf") ?? 0 <= now + 60, "a token that is not valid yet was accepted")
    }

    private static func same(_ value: Any?, _ text: String) -> Bool {
        (value as? String)?.isIdentical(to: text) ?? false
    }
}
