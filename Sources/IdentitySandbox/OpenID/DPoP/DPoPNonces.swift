internal import IdentityKit

/// The DPoP nonces that are accepted (RFC 9449 sections 8 and 9); with the policy `none`, clients need no nonce.
struct DPoPNonces: Sendable {
    let policy: SandboxOpenIDConfiguration.DPoPNonce
    private var current = RandomText.base64URL(16)
    /// The issued, unused nonces of the policy `rotating`: at most 1,000, then the oldest is removed.
    private var outstanding: [String] = []

    init(policy: SandboxOpenIDConfiguration.DPoPNonce) { self.policy = policy }

    mutating func next() -> String? {
        switch policy {
        case .none: return nil
        case .demanded: return current
        case .rotating:
            let nonce = RandomText.base64URL(16)
            if outstanding.count >= 1_000 { outstanding.removeFirst() }
            outstanding.append(nonce)
            return nonce
        }
    }

    /// Checks the nonce of a proof, and uses the nonce up if nonces rotate; always true if the policy is `none`.
    mutating func take(_ nonce: String?) -> Bool {
        switch policy {
        case .none: return true
        case .demanded: return nonce.map { $0.isIdentical(to: current) } ?? false
        case .rotating:
            guard let index = outstanding.firstIndex(where: { nonce?.isIdentical(to: $0) ?? false }) else {
                return false
            }
            outstanding.remove(at: index)
            return true
        }
    }

    mutating func expire() {
        current = RandomText.base64URL(16)
        outstanding.removeAll()
    }
}
