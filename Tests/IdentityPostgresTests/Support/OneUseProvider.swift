#if PostgreSQL
import FoundationEssentials
import IdentityHTTP
import IdentityKit
import Synchronization
import TestDoubles

/// A provider in memory that rotates its refresh token and counts tokens that are sent again.
final class OneUseProvider: WrappingProvider, JournaledRefreshing {
    private let state = Mutex((serial: 0, requests: 0, reuses: 0))
    private let duringRequest: @Sendable () async -> Void
    let inner: StrictProvider

    init(timeout: Duration, duringRequest: @escaping @Sendable () async -> Void) {
        inner = StrictProvider(clock: SystemClock(), name: "shopify", timeout: timeout)
        self.duringRequest = duringRequest
    }

    var requests: Int { state.withLock { $0.requests } }
    var reuses: Int { state.withLock { $0.reuses } }

    func tokens(serial: Int, expiresIn seconds: Double = 3600) -> TokenSet {
        TokenSet(
            buyer: Buyer(issuer: "https://id.example", subject: "buyer"),
            accessToken: Secret("access-\(serial)"),
            refreshToken: Secret("refresh-\(serial)"),
            scopes: ["openid"],
            issuedAt: Date() + seconds - 3600,
            expiresAt: Date() + seconds
        )
    }

    func requestRefresh(of tokens: TokenSet, under lock: HeldLock) async throws(RefreshRefusal) -> RefreshResponse {
        let serial = state.withLock { state in
            state.requests += 1
            if tokens.refreshToken?.reveal() != "refresh-\(state.serial)" { state.reuses += 1 }
            state.serial += 1
            return state.serial
        }
        await duringRequest()
        return RefreshResponse(status: 200, body: Secret("\(serial)"), startedAt: Date(), receivedAt: Date())
    }

    func tokens(from response: RefreshResponse, refreshing tokens: TokenSet) async throws -> TokenSet {
        self.tokens(serial: Int(response.body.reveal()) ?? -1)
    }
}
#endif
