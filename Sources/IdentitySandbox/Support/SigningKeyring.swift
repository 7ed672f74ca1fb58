internal import IdentityCrypto
internal import IdentityKit
internal import Synchronization

/// The keys of one provider: the newest signs, older ones stay published, unknown ones can be published beside them.
struct SigningKeyring: Sendable {
    struct Entry: Sendable {
        let keyID: String
        let key: SigningKey
    }

    let algorithm: SignatureAlgorithm
    private(set) var entries: [Entry] = []
    private let owner: String
    private let keyIDPrefix: String
    private var generation = 0

    init(owner: String, keyIDPrefix: String, algorithm: SignatureAlgorithm = .rs256) {
        self.owner = owner
        self.keyIDPrefix = keyIDPrefix
        self.algorithm = algorithm
    }

    /// The key that signs, made on first use.
    mutating func current() -> Entry? {
        if entries.isEmpty { rotate(keepsOld: false) }
        return entries.last
    }

    /// Makes a new key the one that signs; with `keepsOld` the old ones stay published.
    mutating func rotate(keepsOld: Bool) {
        if entries.isEmpty, generation > 0 || keepsOld { _ = current() }
        let keyID = keyIDPrefix + String(generation)
        generation += 1
        guard let key = SigningKeyPool.key(named: owner + "/" + keyID, algorithm) else { return }
        entries = (keepsOld ? entries : []) + [Entry(keyID: keyID, key: key)]
    }

    /// The JWK set.
    mutating func keySet() -> JSONObject {
        _ = current()
        return ["keys": .array(entries.map { Self.jwk($0, algorithm) })]
    }

    private static func jwk(_ entry: Entry, _ algorithm: SignatureAlgorithm) -> JSONValue {
        let key = SandboxPublicKey(entry.key.publicNumbers)
        return .object(key.jwk(keyID: entry.keyID, algorithm: algorithm.rawValue, use: "sig"))
    }
}

/// Keys made once per process: an RSA key takes a tenth of a second, and tests start hundreds of sandboxes.
enum SigningKeyPool {
    private static let keys = Mutex<[String: SigningKey]>([:])

    static func key(named name: String, _ algorithm: SignatureAlgorithm) -> SigningKey? {
        try? key(named: name) {
            algorithm == .es256 ? try SigningKey.generateEllipticCurve(.p256) : try SigningKey.generateRSA()
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
