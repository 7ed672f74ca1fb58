import Foundation
import IdentityKit

/// Claims as Foundation reads them, to judge again what was accepted.
struct ReadClaims {
    private let all: [String: Any]

    /// Reads claims; nil for numbers that do not fit a double, which may stand in a claim that nobody looks at.
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
        return try require((value as? NSNumber)?.doubleValue, "\(name) is no number")
    }

    /// What holds for every signed token that is accepted.
    func judge() throws {
        try require(isText("iss", "https://id.example"), "another issuer")
        let audience = (all["aud"] as? [Any]) ?? [all["aud"] as Any]
        try require(!audience.isEmpty && audience.allSatisfy { Self.same($0, "client-1") }, "another audience")
        try require(!has("azp") || isText("azp", "client-1"), "another party")
        let now = Forge.now.timeIntervalSince1970
        try require(try require(time("exp"), "no expiry") > now - 60, "expired")
        try require(try require(time("iat"), "no time of issue") <= now + 60, "of the future")
        try require(try time("nbf") ?? 0 <= now + 60, "not valid yet")
    }

    private static func same(_ value: Any?, _ text: String) -> Bool {
        (value as? String)?.isIdentical(to: text) ?? false
    }
}
