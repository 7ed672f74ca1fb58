public import IdentityKit
internal import Synchronization

/// A source of predictable bytes, for tests only: the same seed gives the same bytes.
public final class SeededRandom: RandomSource {
    private let state: Mutex<UInt64>

    /// Creates a source with a seed.
    public init(seed: UInt64) {
        state = Mutex(seed)
    }

    /// Returns the low byte of each of the next `count` outputs of the generator SplitMix64.
    public func bytes(_ count: Int) throws -> [UInt8] {
        state.withLock { state in
            (0..<count).map { _ in
                state &+= 0x9E37_79B9_7F4A_7C15
                var word = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
                word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
                return UInt8(truncatingIfNeeded: word ^ (word >> 31))
            }
        }
    }
}
