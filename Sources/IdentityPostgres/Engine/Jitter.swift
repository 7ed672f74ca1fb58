internal import IdentityCrypto

/// A random wait, so that those who wait for one thing do not all come back at the same moment.
enum Jitter {
    static func duration(from low: Duration, to high: Duration) -> Duration {
        // Without randomness the waits are merely equal.
        let byte = (try? SecureRandom.bytes(1).first) ?? 128
        return low + (high - low) * Int(byte) / 255
    }
}
