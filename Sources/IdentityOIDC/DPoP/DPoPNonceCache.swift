internal import IdentityHTTP
internal import Synchronization

/// The nonces that servers want to find in proofs (RFC 9449 sections 8 and 9): the last of each, few and short.
final class DPoPNonceCache: Sendable {
    /// In what part a server gave a nonce: one host may be authorization server and resource server, with a nonce for each.
    enum Part: Sendable {
        case authorizationServer
        case resourceServer
    }

    private struct Place: Equatable {
        var part: Part
        var origin: String
    }

    private static let capacity = 64
    private let kept = Mutex<[(place: Place, nonce: String)]>([])

    /// The nonce to put into the next proof for a server.
    func nonce(for part: Part, at url: HTTPURL) -> String? {
        let place = Place(part: part, origin: url.origin)
        return kept.withLock { $0.first { $0.place == place }?.nonce }
    }

    /// Keeps what an answer brings.
    ///
    /// - Returns: The answer's nonce; nil when it has none, or one that no proof may hold.
    @discardableResult
    func note(_ headers: HTTPHeaders, of part: Part, at url: HTTPURL) -> String? {
        let values = headers.values(for: "DPoP-Nonce")
        guard values.count == 1, let nonce = values.first, Self.isGood(nonce) else { return nil }
        let place = Place(part: part, origin: url.origin)
        kept.withLock { kept in
            kept.removeAll { $0.place == place }
            if kept.count >= Self.capacity { kept.removeFirst() }
            kept.append((place, nonce))
        }
        return nonce
    }

    /// Whether a text is a nonce by RFC 9449 section 8.1, of a length that a header bears.
    private static func isGood(_ nonce: String) -> Bool {
        (1...512).contains(nonce.utf8.count)
            && nonce.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }
    }
}
