import IdentityHTTP
import IdentityOIDC

/// Checks that keys are cached for five minutes to a day with any response headers, one per line.
enum KeyLifetimeFuzz {
    static func check(_ input: [UInt8]) throws {
        var headers = HTTPHeaders()
        for line in input.split(separator: 0x0A).prefix(20) {
            let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1)
                .map { String(decoding: $0, as: UTF8.self) }
            if parts.count == 2 { try? headers.append(parts[0], parts[1]) }
        }
        guard let lifetime = KeySetLifetime.read(headers, now: Forge.now) else { return }
        try require(lifetime >= .seconds(300) && lifetime <= .seconds(86_400), "the lifetime is out of range")
    }
}
