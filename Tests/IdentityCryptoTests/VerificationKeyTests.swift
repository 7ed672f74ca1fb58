import IdentityCrypto
import Testing

@Suite("Verification keys")
struct VerificationKeyTests {
    private static func modulus(bits: Int) -> [UInt8] {
        var modulus = [UInt8](repeating: 0x5b, count: (bits + 7) / 8)
        let spare = modulus.count * 8 - bits
        modulus[0] = 0xff >> UInt8(spare)
        modulus[modulus.count - 1] |= 1
        return modulus
    }

    private static func isRSARefused(_ modulus: [UInt8], _ exponent: [UInt8] = [1, 0, 1]) -> Bool {
        do {
            _ = try VerificationKey.rsa(modulus: modulus, exponent: exponent)
            return false
        } catch {
            return error.code == .invalidKey
        }
    }

    @Test("an RSA modulus that is even, or does not have 2048 to 8192 bits, is refused")
    func modulusBounds() {
        for bits in [2048, 2049, 3072, 4096, 8192] {
            #expect(!Self.isRSARefused(Self.modulus(bits: bits)), "\(bits) bits")
        }
        for bits in [8, 512, 1024, 2047, 8193, 16384] {
            #expect(Self.isRSARefused(Self.modulus(bits: bits)), "\(bits) bits")
        }
        #expect(Self.isRSARefused([]))
        #expect(Self.isRSARefused([UInt8](repeating: 0, count: 256)))
        #expect(Self.isRSARefused([UInt8](repeating: 0, count: 128) + Self.modulus(bits: 1024)))
        #expect(Self.isRSARefused(Array(Self.modulus(bits: 2048).dropLast()) + [0x5a]))
    }

    @Test("an RSA modulus of the form that can be factored (ROCA) is refused")
    func predictableModulus() {
        var power: [UInt8] = [1]
        for _ in 0..<130 { power = Self.product(power, 65_537) }
        #expect(power.count == 261)
        #expect(Self.isRSARefused(power))
        power[power.count - 1] &+= 2
        #expect(!Self.isRSARefused(power))
    }

    private static func product(_ number: [UInt8], _ factor: Int) -> [UInt8] {
        var carry = 0
        var digits: [UInt8] = []
        for digit in number.reversed() {
            carry += Int(digit) * factor
            digits.append(UInt8(carry & 0xff))
            carry >>= 8
        }
        while carry > 0 {
            digits.append(UInt8(carry & 0xff))
            carry >>= 8
        }
        return digits.reversed()
    }

    @Test("a valid key of 1024 bits is refused")
    func smallKey() throws {
        let small = try SigningKey.generateRSA(bits: 1024)
        #expect(throws: CryptoError.self) { try small.verificationKey() }
    }

    @Test("an RSA exponent that is even, or not between 3 and 2^32, is refused")
    func exponentBounds() {
        let modulus = Self.modulus(bits: 2048)
        for exponent: [UInt8] in [[3], [17], [1, 0, 1], [0, 1, 0, 1], [0xff, 0xff, 0xff, 0xff]] {
            #expect(!Self.isRSARefused(modulus, exponent), "\(exponent)")
        }
        let refused: [[UInt8]] = [
            [], [0], [1], [2], [4], [1, 0, 0], [1, 0, 0, 0, 0], [1, 0, 0, 0, 1], [UInt8](repeating: 0xff, count: 256),
            [UInt8](repeating: 0, count: 300),
        ]
        for exponent in refused {
            #expect(Self.isRSARefused(modulus, exponent), "\(exponent)")
        }
    }

    @Test("a zero byte before the modulus and the exponent does not change the key")
    func leadingZero() throws {
        typealias Vector = JOSEVectors.RS256
        let key = try VerificationKey.rsa(modulus: [0] + Vector.modulus, exponent: [0] + Vector.exponent)
        #expect(key.verify(Vector.signature, of: Vector.message, algorithm: .rs256))
    }

    @Test("a point that is not on its curve, at infinity, of another curve or of a wrong length is refused")
    func points() {
        typealias Vector = JOSEVectors.ES256
        let zero = [UInt8](repeating: 0, count: 32)
        let fieldPrime = hex("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff")
        var beside = Vector.y
        beside[31] ^= 1
        let refused: [(EllipticCurve, [UInt8], [UInt8])] = [
            (.p256, Vector.x, beside), (.p256, zero, zero), (.p256, Vector.y, Vector.x), (.p256, [], []),
            (.p256, fieldPrime, fieldPrime), (.p256, Vector.x, fieldPrime),
            (.p256, [0] + Vector.x, [0] + Vector.y), (.p256, Array(Vector.x.dropLast()), Vector.y),
            (.p384, Vector.x, Vector.y),
            (.p384, zero[..<16] + Vector.x, zero[..<16] + Vector.y),
        ]
        for (curve, x, y) in refused {
            #expect(throws: CryptoError.self, "\(curve) \(x) \(y)") {
                try VerificationKey.ellipticCurve(curve, x: x, y: y)
            }
        }
    }

    @Test("an Ed25519 key that does not have 32 bytes is refused", arguments: [0, 31, 33, 64])
    func ed25519Length(count: Int) {
        #expect(throws: CryptoError.self) {
            try VerificationKey.ed25519([UInt8](repeating: 9, count: count))
        }
    }
}
