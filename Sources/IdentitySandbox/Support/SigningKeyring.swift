internal import IdentityCrypto
internal import IdentityKit
internal import Synchronization

/// The keys of one provider for one algorithm.
///
/// The newest key signs. Older keys stay published until a rotation removes them.
struct SigningKeyring: Sendable {
    struct Entry: Sendable {
        let keyID: String
        let key: SigningKey
    }

    let algorithm: SignatureAlgorithm
    private(set) var entries: [Entry] = []
    private let owner: String
    private let keyIDPrefix: String?
    private var generation = 0

    /// Creates a keyring whose keys are created when they are needed.
    ///
    /// - Parameters:
    ///   - owner: The provider's name; each provider has its own keys.
    ///   - keyIDPrefix: The beginning of the keys' ids, which a number follows. If it is nil, an id is the thumbprint of its key
    ///     (RFC 7638), so that keys of two sandbox processes never have the same id.
    ///   - algorithm: The algorithm with which the keys sign.
    init(owner: String, keyIDPrefix: String?, algorithm: SignatureAlgorithm) {
        self.owner = owner
        self.keyIDPrefix = keyIDPrefix
        self.algorithm = algorithm
    }

    /// Returns the key that signs, and creates it on first use.
    mutating func current() -> Entry? {
        if entries.isEmpty { rotate(keepsOld: false) }
        return entries.last
    }

    /// Signs with a new key from now on; if `keepsOld` is true, the old keys stay published.
    mutating func rotate(keepsOld: Bool) {
        if entries.isEmpty, keepsOld { _ = current() }
        let number = String(generation)
        generation += 1
        let name = [owner, algorithm.rawValue, number].joined(separator: "/")
        guard let key = SigningKeyPool.key(named: name, algorithm) else { return }
        let thumbprint = try? ClientKey(jwk: SandboxPublicKey(key.publicNumbers).jwk()).thumbprint
        let keyID = keyIDPrefix.map { $0 + number } ?? thumbprint ?? number
        entries = (keepsOld ? entries : []) + [Entry(keyID: keyID, key: key)]
    }

    /// Returns the published keys as JWKs.
    mutating func jwks() -> [JSONValue] {
        _ = current()
        return entries.map { entry in
            let key = SandboxPublicKey(entry.key.publicNumbers)
            return .object(key.jwk(keyID: entry.keyID, algorithm: algorithm.rawValue, use: "sig"))
        }
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
