/// Detects RSA moduli that can be factored, because a chip maker chose their primes badly (ROCA, CVE-2017-15361).
///
/// Modulo each odd prime up to 167, these moduli are powers of 65537. By chance, one in 240 million other moduli has this property.
enum PredictableModulus {
    private static let powers: [(prime: Int, residues: Set<Int>)] = stride(from: 3, through: 167, by: 2)
        .filter { number in !stride(from: 3, to: number, by: 2).contains { number % $0 == 0 } }
        .map { prime in
            var residues: Set<Int> = []
            var power = 1
            while residues.insert(power).inserted { power = power * 65_537 % prime }
            return (prime, residues)
        }

    /// Whether a modulus, most significant octet first, is a power of 65537 modulo every odd prime up to 167.
    static func isLikely(_ modulus: some Collection<UInt8>) -> Bool {
        powers.allSatisfy { prime, residues in
            residues.contains(modulus.reduce(0) { ($0 << 8 | Int($1)) % prime })
        }
    }
}
