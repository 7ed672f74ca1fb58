import CIdentitySQLite
import FoundationEssentials
import Glibc
import IdentityHTTP
import IdentityKit
import IdentityStoreKit
import IdentityTesting
import Synchronization
import TestDoubles
import TestStores
import Testing

@testable import IdentitySQLite

/// The sizes of a provider's tokens in bytes.
struct TokenSizes: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let access: Int
    let refresh: Int
    /// The size of the ID token; 0 without an ID token.
    let identity: Int

    /// Token sizes from short opaque tokens to JWTs with many groups.
    ///
    /// The sizes for Google are its documented limits (2,048 and 512 bytes).
    static let all = [
        TokenSizes(testDescription: "opaque tokens", access: 32, refresh: 45, identity: 0),
        TokenSizes(testDescription: "Shopify", access: 900, refresh: 900, identity: 1_300),
        TokenSizes(testDescription: "Bolt", access: 1_300, refresh: 100, identity: 1_100),
        TokenSizes(testDescription: "Cognito", access: 1_070, refresh: 1_784, identity: 1_150),
        TokenSizes(testDescription: "Google", access: 2_048, refresh: 512, identity: 1_200),
        TokenSizes(testDescription: "Keycloak with roles", access: 4_000, refresh: 700, identity: 1_300),
        TokenSizes(testDescription: "Entra ID with groups", access: 6_500, refresh: 1_900, identity: 5_000),
    ]

    func text(_ count: Int, _ serial: Int) -> String {
        // The size of a JWT varies by some bytes.
        String(
            String(repeating: "\(serial)abcdefg", count: count / 8 + 1).prefix(
                count + (count > 500 ? serial * 7 % 20 : 0)
            )
        )
    }

    func tokens(_ serial: Int, _ buyer: Buyer, issuedAt: Date) -> TokenSet {
        TokenSet(
            buyer: buyer,
            accessToken: Secret(text(access, serial)),
            refreshToken: Secret(text(refresh, serial)),
            idToken: identity > 0 ? Secret(text(identity, serial)) : nil,
            scopes: ["openid", "email", "customer-account-api:full"],
            issuedAt: issuedAt,
            expiresAt: issuedAt + 3_600
        )
    }

    func answer(_ serial: Int) -> String {
        """
        {"access_token":"\(text(access, serial))","token_type":"Bearer","expires_in":3600,\
        "refresh_token":"\(text(refresh, serial))","id_token":"\(text(identity, serial))"}
        """
    }
}

/// A provider that returns tokens of given sizes for each refresh.
private final class SizedProvider: WrappingProvider, JournaledRefreshing {
    let inner: StrictProvider
    private let sizes: TokenSizes
    private let clock: ManualClock
    private let serial = Mutex(0)

    init(_ sizes: TokenSizes, _ clock: ManualClock) {
        inner = StrictProvider(clock: clock, name: "sized")
        self.sizes = sizes
        self.clock = clock
    }

    func requestRefresh(of tokens: TokenSet, under lock: HeldLock) async throws(RefreshRefusal) -> RefreshResponse {
        let serial = serial.withLock { serial in
            serial += 1
            return serial
        }
        return RefreshResponse(
            status: 200,
            body: Secret(sizes.answer(serial)),
            startedAt: clock.now,
            receivedAt: clock.now
        )
    }

    func tokens(from response: RefreshResponse, refreshing tokens: TokenSet) async throws -> TokenSet {
        sizes.tokens(serial.withLock(\.self), tokens.buyer, issuedAt: clock.now)
    }
}

@Suite("Refreshing on a full disk")
struct FullDiskTests {
    @Test("a new session can be refreshed twelve times with tokens of typical sizes", arguments: TokenSizes.all)
    func refresh(_ sizes: TokenSizes) async throws {
        let directory = try StoreDirectory()
        let clock = ManualClock()
        let store = try await directory.open { $0.clock = clock }
        let provider = SizedProvider(sizes, clock)
        let manager = SessionManager(
            providers: try ProviderRegistry([provider]),
            store: store,
            environment: IdentityEnvironment(transport: NoNetwork(), clock: clock)
        )
        let buyer = Buyer(
            issuer: "https://id.example",
            subject: "buyer-1",
            email: .init("buyer@shop.example", isVerified: true)
        )
        let id = try await manager.establish(sizes.tokens(0, buyer, issuedAt: clock.now), provider: "sized").id
        try await store.fillDisk()
        for serial in 1...12 {
            clock.advance(by: .seconds(3_700))
            let got = try await manager.tokens(for: id)
            #expect(got.outcome == .refreshedLate)
            #expect(got.tokens.accessToken.reveal() == sizes.text(sizes.access, serial))
            let health = try await store.checkHealth()
            #expect(health.isSound && health.spooledSessions == 0 && health.sessionsInDoubt == 0)
            // Read the row, not the memory of the process.
            let again = SessionManager(
                providers: try ProviderRegistry([provider]),
                store: store,
                environment: IdentityEnvironment(transport: NoNetwork(), clock: clock)
            )
            #expect(try await again.tokens(for: id).tokens.accessToken.isEqual(to: got.tokens.accessToken))
        }
    }

    @Test("the insertion of a new session fails as store_full, and the hint says which refreshes still work")
    func login() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open()
        try await store.fillDisk()
        let error = await #expect(throws: IdentityError.self) {
            for _ in 0..<64 { try await store.insert(sampleSession(payload: String(repeating: "x", count: 9_000))) }
        }
        #expect(error?.code == .storeFull && error?.kind == .retryLater)
        #expect(error?.hint?.contains("fit into the session's row") == true)
    }

    @Test(
        "an error of SQLite because of a full disk or quota is store_full",
        arguments: [
            (SQLITE_FULL, Int32(0)), (SQLITE_IOERR, ENOSPC), (SQLITE_CANTOPEN, ENOSPC), (SQLITE_CANTOPEN, EDQUOT),
        ]
    )
    func codes(code: Int32, systemError: Int32) {
        let error = SQLiteFailure(code: code, systemError: systemError).identityError
        #expect(error.code == .storeFull && error.kind == .retryLater)
    }
}
