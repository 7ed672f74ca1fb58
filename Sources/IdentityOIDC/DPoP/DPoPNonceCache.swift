internal import IdentityHTTP
internal import Synchronization

/// Stores the last DPoP nonce of at most 64 servers: a server's next proof must contain the nonce (RFC 9449 sections 8 and 9).
final class DPoPNonceCache: Sendable {
    /// One host may be both authorization server and resource server, with a separate nonce for each role.
    enum ServerRole: Sendable {
        case authorizationServer
        case resourceServer
    }

    private struct Server: Equatable {
        var role: ServerRole
        var origin: String
    }

    private static let capacity = 64
    private let nonces = Mutex<[(server: Server, nonce: String)]>([])

    func nonce(for role: ServerRole, at url: HTTPURL) -> String? {
        let server = Server(role: role, origin: url.origin)
        return nonces.withLock { $0.first { $0.server == server }?.nonce }
    }

    /// Saves and returns the nonce of a response; nil when the response has no nonce, several nonces or an invalid nonce.
    @discardableResult
    func save(_ headers: HTTPHeaders, from role: ServerRole, at url: HTTPURL) -> String? {
        let values = headers.values(for: "DPoP-Nonce")
        guard values.count == 1, let nonce = values.first, Self.isValid(nonce) else { return nil }
        let server = Server(role: role, origin: url.origin)
        nonces.withLock { nonces in
            nonces.removeAll { $0.server == server }
            if nonces.count >= Self.capacity { nonces.removeFirst() }
            nonces.append((server, nonce))
        }
        return nonce
    }

    /// Whether a text is a nonce by RFC 9449 section 8.1, of at most 512 bytes.
    private static func isValid(_ nonce: String) -> Bool {
        (1...512).contains(nonce.utf8.count)
            && nonce.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }
    }
}
