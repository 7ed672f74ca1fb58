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
        var jwk: JSONObject = [
            "use": .string("sig"), "alg": .string(algorithm.rawValue), "kid": .string(entry.keyID),
        ]
        switch entry.key.publicNumbers {
        case .rsa(let modulus, let exponent):
            jwk["kty"] = .string("RSA")
            jwk["n"] = .string(Base64URL.encode(modulus))
            jwk["e"] = .string(Base64URL.encode(exponent))
        case .ellipticCurve(_, let x, let y):
            jwk["kty"] = .string("EC")
            jwk["crv"] = .string("P-256")
            jwk["x"] = .string(Base64URL.encode(x))
            jwk["y"] = .string(Base64URL.encode(y))
        case .ed25519(let x):
            jwk["kty"] = .string("OKP")
            jwk["crv"] = .string("Ed25519")
            jwk["x"] = .string(Base64URL.encode(x))
        }
        return .object(jwk)
    }
}

/// Keys made once per process: an RSA key takes a tenth of a second, and tests start hundreds of sandboxes.
enum SigningKeyPool {
    private static let keys = Mutex<[String: SigningKey]>([:])

    static func key(named name: String, _ algorithm: SignatureAlgorithm) -> SigningKey? {
        keys.withLock { keys in
            if let key = keys[name] { return key }
            let made =
                algorithm == .es256 ? try? SigningKey.generateEllipticCurve(.p256) : try? SigningKey.generateRSA()
            keys[name] = made
            return made
        }
    }
}
