internal import IdentityCrypto
internal import IdentityKit
internal import Synchronization

/// The signing keys of one provider; for each algorithm the newest key signs.
///
/// The first keys are created when they are needed. Older keys stay published until a rotation removes them.
struct SigningKeyring: Sendable {
    struct Entry: Sendable {
        let algorithm: SignatureAlgorithm
        let keyID: String
        let key: SigningKey

        var publicKey: SandboxPublicKey { SandboxPublicKey(key.publicNumbers) }
    }

    private let owner: String
    private let keyIDPrefix: String?
    private let algorithms: [SignatureAlgorithm]
    private var entries: [Entry] = []
    private var generation = 0

    /// If `keyIDPrefix` is nil, a key's id is its thumbprint (RFC 7638), so that keys of two sandbox processes do not have the same id.
    init(owner: String, keyIDPrefix: String?, algorithms: [SignatureAlgorithm]) {
        self.owner = owner
        self.keyIDPrefix = keyIDPrefix
        self.algorithms = algorithms
    }

    mutating func rotate(keepsOld: Bool) {
        let old = keepsOld ? published() : []
        let number = String(generation)
        generation += 1
        entries = algorithms.flatMap { algorithm in
            old.filter { $0.algorithm == algorithm } + (newEntry(algorithm, number).map { [$0] } ?? [])
        }
    }

    private func newEntry(_ algorithm: SignatureAlgorithm, _ number: String) -> Entry? {
        let name = [owner, algorithm.rawValue, number].joined(separator: "/")
        guard let key = SigningKeyPool.key(named: name, algorithm) else { return nil }
        let thumbprint = try? ClientKey(jwk: SandboxPublicKey(key.publicNumbers).jwk()).thumbprint
        return Entry(algorithm: algorithm, keyID: keyIDPrefix.map { $0 + number } ?? thumbprint ?? number, key: key)
    }

    /// Returns the published keys: for each algorithm the oldest first.
    mutating func published() -> [Entry] {
        if entries.isEmpty { rotate(keepsOld: false) }
        return entries
    }

    mutating func keySet() -> JSONObject {
        let keys = published().map { entry in
            JSONValue.object(entry.publicKey.jwk(keyID: entry.keyID, algorithm: entry.algorithm.rawValue, use: "sig"))
        }
        return ["keys": .array(keys)]
    }

    /// Returns the claims of a token that a published key signed, even if the token has expired; nil for other tokens.
    func claims(of text: String) -> JSONObject? {
        guard let token = try? ClientToken(text) else { return nil }
        let isOurs = entries.contains { entry in
            (try? token.verify(with: ClientKey(jwk: entry.publicKey.jwk()), entry.algorithm)) != nil
        }
        return isOurs ? token.claims : nil
    }
}

/// Keys that are created once per process, because an RSA key takes a tenth of a second and tests start hundreds of sandboxes.
enum SigningKeyPool {
    private static let keys = Mutex<[String: SigningKey]>([:])

    static func key(named name: String, _ algorithm: SignatureAlgorithm) -> SigningKey? {
        try? key(named: name) {
            switch algorithm {
            case .es256: try SigningKey.generateEllipticCurve(.p256)
            case .es384: try SigningKey.generateEllipticCurve(.p384)
            case .edDSA: try SigningKey.generateEd25519()
            default: try SigningKey.generateRSA()
            }
        }
    }

    static func key(named name: String, making make: () throws -> SigningKey) throws -> SigningKey {
        try keys.withLock { keys in
            if let key = keys[name] { return key }
            let made = try make()
            keys[name] = made
            return made
        }
    }
}
