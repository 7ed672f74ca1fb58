import IdentityHTTP
import IdentityKit
import IdentityShopify
import IdentityTesting
import IdentityWeb
import ShopifyGraphQL
import Synchronization
import Testing

private struct MyStore: WrappingStore {
    let inner = InMemoryStore()

    init(_ directory: String, maximumAttempts: Int = 10_000) async throws {}
}

struct MyTransport: HTTPTransport {
    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse { HTTPResponse(status: 200) }
}

private struct MyServer {
    let port: UInt16

    static func start(handler: @escaping @Sendable (WebRequest) async -> WebResponse) async throws -> Self {
        Self(port: 0)
    }
    func stop() async {}
}

private typealias MyProviderUnderTest = ProviderConformance.Subject

extension ProviderConformance.Subject {
    fileprivate init() async throws { fatalError("compiled only") }
}

private func emptyDirectory() throws -> String { "" }

private struct OwnStore {
    @Test(arguments: StoreConformance.cases)
    func conformance(_ testCase: StoreConformance.Case) async throws {
        let directory = try emptyDirectory()
        try await testCase.run(on: StoreUnderTest([.reopening]) { _ in try await MyStore(directory) })
    }
}

/// The page Documentation/Extending/Testing.md.
private struct TestingPage {
    @Test(arguments: StoreConformance.cases)
    func conformance(_ testCase: StoreConformance.Case) async throws {
        let directory = try emptyDirectory()
        try await testCase.run(
            on: StoreUnderTest([.reopening, .attemptLimit]) { options in
                try await MyStore(directory, maximumAttempts: options.maximumAttempts ?? 10_000)
            }
        )
    }

    func page(routes: SignInRoutes, app: (WebContext) async throws -> WebResponse) async throws {
        var signIn = TestSignIn(buyer: Buyer(issuer: "https://id.example", subject: "ada"))
        signIn.acr = "urn:example:two-factor"
        signIn.age = .seconds(600)
        let page = await routes.handle(try await signIn.request(to: routes, .get, "/orders"), otherwise: app)
        _ = page
    }
}

final class CountingStore: WrappingStore {
    let inner = InMemoryStore()
    let reads = Mutex(0)

    func session(_ id: SessionID) async throws -> StoredSession? {
        reads.withLock { $0 += 1 }
        return try await inner.session(id)
    }
}

private struct OwnProvider {
    @Test(arguments: ProviderConformance.cases)
    func conformance(_ requirement: ProviderConformance.Case) async throws {
        try await requirement.run { try await MyProviderUnderTest() }
    }
}

private struct OwnTransport {
    @Test(arguments: TransportConformance.cases)
    func conformance(_ testCase: TransportConformance.Case) async throws {
        try await testCase.run { MyTransport() }
    }
}

private typealias MyCache = InMemoryResponseCache

private struct OwnCache {
    @Test(arguments: ResponseCacheConformance.cases)
    func conformance(_ testCase: ResponseCacheConformance.Case) async throws {
        try await testCase.run { MyCache() }
    }
}

extension Vault {
    fileprivate func stored() async throws -> AuthTokenStorageConformance.StoredTokens { (nil, nil) }
}

private struct OwnTokenStorage {
    @Test(arguments: AuthTokenStorageConformance.cases)
    func conformance(_ testCase: AuthTokenStorageConformance.Case) async throws {
        let vault = Vault()
        try await testCase.run(vault) { try await vault.stored() }
    }
}

private struct OwnAdapter {
    @Test(arguments: WebAdapterConformance.cases)
    func conformance(_ testCase: WebAdapterConformance.Case) async throws {
        let server = try await MyServer.start(handler: WebAdapterConformance.handler)
        try await testCase.run { try await WebAdapterConformance.exchange($0, port: server.port) }
        await server.stop()
    }
}

extension App {
    func storeUnderTest(_ directory: String) -> StoreUnderTest {
        StoreUnderTest([.reopening, .attemptLimit]) { options in
            try await MyStore(directory, maximumAttempts: options.maximumAttempts ?? 10_000)
        }
    }

    func testSignIn(to routes: SignInRoutes, app: (WebContext) async throws -> WebResponse) async throws {
        var signIn = TestSignIn(buyer: Buyer(issuer: "https://id.example", subject: "ada"))
        signIn.acr = "urn:example:two-factor"
        let request = try await signIn.request(to: routes, .get, "/orders")
        let response = await routes.handle(request, otherwise: app)
        _ = response
    }

    func manualClock(transport: any HTTPTransport) {
        let clock = ManualClock()
        let environment = IdentityEnvironment(transport: transport, clock: clock)
        _ = environment
        clock.advance(by: .seconds(3_600))  // an access token of one hour has expired
    }
}
