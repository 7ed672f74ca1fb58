internal import IdentityKit

/// The nonces that clients must put into their DPoP proofs (RFC 9449 section 8).
struct DPoPNonces: Sendable {
    let policy: SandboxOpenIDConfiguration.DPoPNonce
    private var current = RandomText.base64URL(16)
    /// The issued, unused nonces; the oldest are removed first.
    private var outstanding: [String] = []

    init(policy: SandboxOpenIDConfiguration.DPoPNonce) { self.policy = policy }

    /// A new nonce; nil when the provider issues none.
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

    /// Whether a proof with this nonce is accepted; a rotating nonce is accepted once.
    mutating func accepts(_ nonce: String?) -> Bool {
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

    /// Invalidates all issued nonces.
    mutating func expire() {
        current = RandomText.base64URL(16)
        outstanding.removeAll()
    }
}
