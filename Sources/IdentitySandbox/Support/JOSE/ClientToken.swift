internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit

/// The error of a token or key that a client sent, as a clause such as "its exp is missing".
struct TokenFlaw: Error, Sendable {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}

/// A signed JWT of a client, parsed strictly (RFC 7515 section 3.1, RFC 7519 section 7.2).
struct ClientToken: Sendable {
    let header: JSONObject
    let claims: JSONObject
    private let input: [UInt8]
    private let signature: [UInt8]

    init(_ text: String) throws(TokenFlaw) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 16_384, parts.count == 3 else { throw TokenFlaw("it is not a JWT of three parts") }
        header = try Self.object(parts[0], "header")
        claims = try Self.object(parts[1], "payload")
        guard let signature = Base64URL.decode(parts[2].utf8) else {
            throw TokenFlaw("its signature is not canonical base64url")
        }
        self.signature = signature
        input = Array((parts[0] + "." + parts[1]).utf8)
        guard header["crit"] == nil else { throw TokenFlaw("its header has crit, which is not supported") }
    }

    private static func object(_ part: Substring, _ name: String) throws(TokenFlaw) -> JSONObject {
        guard let bytes = Base64URL.decode(part.utf8) else { throw TokenFlaw("its \(name) is not canonical base64url") }
        guard let object = (try? JSONValue(parsing: bytes))?.object else {
            throw TokenFlaw("its \(name) is not a JSON object, or repeats a member")
        }
        return object
    }

    /// Returns the algorithm of the header, which must be one of `permitted`; `none` and symmetric algorithms are never accepted.
    func algorithm(among permitted: [String]) throws(TokenFlaw) -> SignatureAlgorithm {
        let name = header["alg"]?.string ?? ""
        guard permitted.contains(where: { $0.isIdentical(to: name) }),
            let algorithm = SignatureAlgorithm.allCases.first(where: { $0.rawValue.isIdentical(to: name) })
        else { throw TokenFlaw("its alg '\(name)' is not one of \(permitted.joined(separator: ", "))") }
        return algorithm
    }

    /// Verifies the signature; also throws an error if the algorithm does not fit the key or differs from the `alg` of the key's JWK.
    func verify(with key: ClientKey, _ algorithm: SignatureAlgorithm) throws(TokenFlaw) {
        guard key.verification.supports(algorithm) else {
            throw TokenFlaw("its alg \(algorithm.rawValue) does not fit the key")
        }
        if let bound = key.algorithm, !bound.isIdentical(to: algorithm.rawValue) {
            throw TokenFlaw("its alg is \(algorithm.rawValue), but the key is for \(bound)")
        }
        guard key.verification.verify(signature, of: input, algorithm: algorithm) else {
            throw TokenFlaw("its signature does not verify")
        }
    }

    func text(_ name: String) throws(TokenFlaw) -> String {
        guard let text = claims[name]?.string, !text.isEmpty else {
            throw TokenFlaw("its \(name) is missing or not a string")
        }
        return text
    }

    func time(_ name: String) throws(TokenFlaw) -> Date? {
        guard let value = claims[name] else { return nil }
        guard let seconds = value.number?.double, seconds >= 0, seconds < 1e11 else {
            throw TokenFlaw("its \(name) is not a number of seconds")
        }
        return Date(timeIntervalSince1970: seconds)
    }
}

/// The ids (`jti`) of received JWTs, each kept as long as its JWT is valid, so that the provider refuses a second use.
struct UsedIDs: Sendable {
    private var expiries: [String: Date] = [:]

    /// Saves an id; returns false if it was used before.
    mutating func take(_ id: String, until expiry: Date, now: Date) -> Bool {
        expiries = expiries.filter { $0.value >= now }
        return expiries.updateValue(expiry, forKey: id) == nil
    }
}
