import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityTesting
import ShopifyGraphQL
import ShopifyLegacyCustomers
import StorefrontSandbox
import Synchronization
import Testing

private final class TimedTransport: HTTPTransport {
    private let inner: CurlTransport
    private let limits = Mutex<[Duration]>([])

    init() throws { inner = try CurlTransport() }

    /// The limits of the requests since the last call.
    func take() -> [Duration] {
        limits.withLock { limits in
            defer { limits = [] }
            return limits
        }
    }

    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        limits.withLock { $0.append(request.limits.totalTimeout) }
        return try await inner.send(request)
    }
}

/// A store whose locks are guaranteed for a limited time.
private struct LeasingStore: WrappingStore {
    let inner = InMemoryStore()
    let guaranteedLockDuration: Duration?
}

@Suite("The time limit of refreshes of legacy customers")
struct TimeLimitTests {
    @Test("all requests of a refresh end within the timeout of the provider")
    func refresh() async throws {
        let transport = try TimedTransport()
        try await LegacyShop.with(transport: transport) { shop in
            let session = try await shop.signIn()
            #expect(shop.provider.descriptor.timeout == .seconds(8))
            let refusal = #"{"customerAccessToken":null,"userErrors":[{"message":"busy"}]}"#
            let body = #"{"data":{"customerAccessTokenRenew":\#(refusal)}}"#
            let slow = SandboxFault.before { shop.clock.advance(by: .seconds(3)) }
            shop.sandbox.storefront.planFault(slow.and(.answer(status: 200, body: body)), on: .storefront)
            _ = transport.take()
            _ = try? await shop.sessions.refreshTokens(for: session)
            #expect(transport.take() == [.seconds(8), .seconds(5)])
            shop.sandbox.storefront.planFault(slow, on: .storefront)
            _ = try? await shop.account(session).update(LegacyCustomerUpdateInput(password: .set(Secret("x"))))
            #expect(transport.take() == [.seconds(8), .seconds(5)])
        }
    }

    @Test("a store whose locks are guaranteed for less than the provider's timeout is a configuration error")
    func shortLock() async throws {
        try await LegacyShop.with(store: LeasingStore(guaranteedLockDuration: .seconds(8))) { shop in
            try shop.sessions.checkConfiguration()
        }
        try await LegacyShop.with(store: LeasingStore(guaranteedLockDuration: .seconds(7))) { shop in
            let error = #expect(throws: IdentityError.self) { try shop.sessions.checkConfiguration() }
            #expect(error?.code == .configurationInvalid)
        }
    }
}
