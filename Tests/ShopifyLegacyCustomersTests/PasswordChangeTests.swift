import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityTesting
import ShopifyGraphQL
import StorefrontSandbox
import TestDoubles
import Testing

@testable import ShopifyLegacyCustomers

extension LegacyShop {
    fileprivate static let newPassword = Secret("analytical engine")

    fileprivate func count(_ operation: String) -> Int {
        sandbox.storefront.requests(to: .storefront).count { $0.bodyText.contains(operation) }
    }

    fileprivate func change(_ session: SessionID, to password: Secret = newPassword) async throws {
        try await account(session).update(LegacyCustomerUpdateInput(password: .set(password)))
    }

    /// Begins a password change, and returns when the next refresh can send the change.
    fileprivate func beginChange(_ session: SessionID) async -> Task<Void, any Error> {
        let hasEnded = Counter()
        let change = Task {
            defer { hasEnded.count() }
            try await self.change(session)
        }
        while provider.passwordChanges.isEmpty, hasEnded.total == 0 { await Task.yield() }
        return change
    }

    fileprivate func error(changing session: SessionID, to password: Secret = newPassword) async -> IdentityError? {
        await #expect(throws: IdentityError.self) { try await change(session, to: password) }
    }

    fileprivate func checkSignedIn(_ session: SessionID) async throws {
        #expect(try await account(session).customer().legacyCustomer.email == Self.email)
        #expect(try await !sessions.session(session).needsLogin)
    }
}

/// A password change replaces the token, so the session manager sends it as the request of a refresh.
@Suite("Password changes of legacy customers")
struct PasswordChangeTests {
    @Test("a new password replaces the token with one request, and no other request extends the token")
    func oneRequest() async throws {
        try await LegacyShop.with { shop in
            let session = try await shop.signIn()
            try await shop.change(session)
            #expect(shop.count("LegacyCustomerUpdate") == 1)
            #expect(shop.count("customerAccessTokenRenew") == 0)
            try await shop.checkSignedIn(session)
        }
    }

    @Test("another process that refreshes between the response and its save waits, and the buyer stays signed in")
    func otherProcess() async throws {
        let store = InMemoryStore()
        let (responded, respond) = AsyncStream.makeStream(of: Void.self)
        // The save waits until the other process has read the session and requests the lock.
        let gate = Gate()
        let lockNoting = LockNotingStore(inner: store, gate: gate)
        let transport = try NamedOperations.after("LegacyCustomerUpdate") {
            respond.finish()
            await gate.wait()
        }
        try await LegacyShop.with(store: store, transport: transport) { shop in
            let session = try await shop.signIn()
            let environment = IdentityEnvironment(transport: try CurlTransport(), clock: shop.clock)
            let client = try LegacyShop.client(of: "sandbox.example", shop.sandbox, environment)
            let provider = LegacyPasswordProvider(client: client, environment: environment)
            let other = SessionManager(
                providers: try ProviderRegistry([provider]),
                store: lockNoting,
                environment: environment
            )
            async let change: Void = shop.change(session)
            defer { gate.open() }
            for await _ in responded {}
            let tokens = try await other.refreshTokens(for: session).tokens
            // A process that requests no lock must not leave the change waiting.
            gate.open()
            try await change
            #expect(lockNoting.isFirstLockFree == false)
            #expect(try await shop.sessions.tokens(for: session).tokens.accessToken.isEqual(to: tokens.accessToken))
            try await shop.checkSignedIn(session)
        }
    }

    @Test("a new password during a refresh is sent once, with the token of that refresh", arguments: [false, true])
    func runningRefresh(isEarly: Bool) async throws {
        let (responded, respond) = AsyncStream.makeStream(of: Void.self)
        let gate = Gate()
        let transport = try NamedOperations.after("customerAccessTokenRenew") {
            respond.finish()
            await gate.wait()
        }
        try await LegacyShop.with(transport: transport) { shop in
            defer { gate.open() }
            let session = try await shop.signIn()
            if isEarly { shop.clock.advance(by: .seconds(12.5 * 86_400)) }
            // An early refresh runs in the background, and its caller gets the old tokens at once.
            let refresh = Task {
                if isEarly { return try await shop.sessions.tokens(for: session) }
                return try await shop.sessions.refreshTokens(for: session)
            }
            for await _ in responded {}
            let change = await shop.beginChange(session)
            gate.open()
            try await change.value
            _ = try await refresh.value
            #expect(shop.count("customerAccessTokenRenew") == 1 && shop.count("LegacyCustomerUpdate") == 1)
            try await shop.checkSignedIn(session)
        }
    }

    @Test("a new password that is sent while an early refresh is due leaves the buyer signed in")
    func earlyRefresh() async throws {
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let gate = Gate()
        var transport = try NamedOperations()
        transport.before = { body throws(HTTPTransportError) in
            guard body.contains("LegacyCustomerUpdate") else { return }
            start.finish()
            await gate.wait()
        }
        try await LegacyShop.with(transport: transport) { shop in
            defer { gate.open() }
            let session = try await shop.signIn()
            shop.clock.advance(by: .seconds(12.5 * 86_400))
            let change = Task { try await shop.change(session) }
            for await _ in started {}
            _ = try await shop.sessions.tokens(for: session)
            gate.open()
            try await change.value
            #expect(shop.count("LegacyCustomerUpdate") == 1)
            try await shop.checkSignedIn(session)
        }
    }

    @Test("a new password is sent a second time if Shopify rejects the access token of the first request")
    func refusedToken() async throws {
        try await LegacyShop.with { shop in
            let session = try await shop.signIn()
            let errors = #"[{"code":"TOKEN_INVALID","field":["customerAccessToken"],"message":"x"}]"#
            let payload = #"{"customer":null,"customerAccessToken":null,"customerUserErrors":\#(errors)}"#
            let body = #"{"data":{"customerUpdate":\#(payload)}}"#
            shop.sandbox.storefront.planFault(.answer(status: 200, body: body), on: .storefront)
            try await shop.change(session)
            #expect(shop.count("LegacyCustomerUpdate") == 2)
            try await shop.checkSignedIn(session)
        }
    }

    @Test("concurrent password changes of a session are each sent once")
    func concurrent() async throws {
        try await LegacyShop.with { shop in
            let session = try await shop.signIn()
            async let first: Void = shop.change(session)
            async let second: Void = shop.change(session, to: Secret("note G"))
            _ = try await (first, second)
            #expect(shop.count("LegacyCustomerUpdate") == 2)
            try await shop.checkSignedIn(session)
        }
    }

    @Test("after a password was rejected, the token is extended, and the next password is accepted")
    func rejected() async throws {
        try await LegacyShop.with { shop in
            let session = try await shop.signIn()
            for _ in 1...3 {
                let error = await shop.error(changing: session, to: Secret("x"))
                #expect((error?.cause as? LegacyCustomerUserErrors)?.errors.first?.code == .tooShort)
                try await shop.checkSignedIn(session)
            }
            #expect(shop.count("customerAccessTokenRenew") == 3)
            try await shop.change(session)
            try await shop.checkSignedIn(session)
        }
    }

    @Test("a password change whose response is lost has an unknown outcome and is not sent again")
    func lostResponse() async throws {
        // The fake shop executes the change with the first two faults, and does not execute it with the other two.
        for fault in [SandboxFault.loseResponse, .status(503), .answer(status: 502), .answer(status: 503)] {
            try await LegacyShop.with { shop in
                let session = try await shop.signIn()
                shop.sandbox.storefront.planFault(fault, on: .storefront)
                #expect(await shop.error(changing: session)?.code == .outcomeUnknown)
                #expect(shop.count("LegacyCustomerUpdate") == 1)
                let isExecuted = await (try? shop.signIn(LegacyShop.newPassword)) != nil
                #expect(
                    try await shop.sessions.session(session).endReason == (isExecuted ? .lostRotation : nil),
                    "\(fault)"
                )
            }
        }
    }

    @Test(
        "a password change whose response has neither a token nor a user error has an unknown outcome",
        arguments: ["", "{}"]
    )
    func neitherTokenNorError(error: String) async throws {
        try await LegacyShop.with { shop in
            let session = try await shop.signIn()
            let errors = error.isEmpty ? "" : #","errors":[{"message":"x","path":["customerUpdate","customer"]}]"#
            let payload = #"{"customer":null,"customerAccessToken":null,"customerUserErrors":[]}"#
            let body = #"{"data":{"customerUpdate":\#(payload)}\#(errors)}"#
            // After an executed change, Shopify neither extends the old token nor finds its customer.
            let renewal = #"{"customerAccessToken":null,"userErrors":[{"field":null,"message":"x"}]}"#
            for body in [body, #"{"data":{"customerAccessTokenRenew":\#(renewal)}}"#, #"{"data":{"customer":null}}"#] {
                shop.sandbox.storefront.planFault(.answer(status: 200, body: body), on: .storefront)
            }
            #expect(await shop.error(changing: session)?.code == .outcomeUnknown)
            #expect(shop.count("LegacyCustomerUpdate") == 1)
            #expect(try await shop.sessions.session(session).endReason == .lostRotation)
        }
    }

    @Test("if a caller is cancelled before its password was sent, the next refresh does not send it")
    func cancelledBefore() async throws {
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let (continued, resume) = AsyncStream.makeStream(of: Void.self)
        var transport = try NamedOperations()
        transport.before = { body throws(HTTPTransportError) in
            guard body.contains("customerAccessTokenRenew") else { return }
            start.finish()
            for await _ in continued {}
            throw HTTPTransportError(code: .connectionFailed, phase: .notSent, message: "Refused by the test.")
        }
        try await LegacyShop.with(transport: transport) { shop in
            let session = try await shop.signIn()
            let refresh = Task { try await shop.sessions.refreshTokens(for: session) }
            for await _ in started {}
            let caller = await shop.beginChange(session)
            caller.cancel()
            #expect(await #expect(throws: IdentityError.self) { try await caller.value }?.kind == .cancelled)
            resume.finish()
            _ = await refresh.result
            // This refresh uses the token for which the change was registered.
            _ = try? await shop.sessions.refreshTokens(for: session)
            #expect(shop.count("LegacyCustomerUpdate") == 0)
        }
    }

    @Test("a caller that is cancelled after the password was sent gets an unknown outcome, and the token is saved")
    func cancelled() async throws {
        let (responded, respond) = AsyncStream.makeStream(of: Void.self)
        let (continued, resume) = AsyncStream.makeStream(of: Void.self)
        let transport = try NamedOperations.after("LegacyCustomerUpdate") {
            respond.finish()
            for await _ in continued {}
        }
        try await LegacyShop.with(transport: transport) { shop in
            let session = try await shop.signIn()
            let caller = Task { try await shop.change(session) }
            for await _ in responded {}
            caller.cancel()
            let error = await #expect(throws: IdentityError.self) { try await caller.value }
            #expect(error?.code == .outcomeUnknown)
            resume.finish()
            await shop.sessions.drain()
            try await shop.checkSignedIn(session)
            #expect(shop.count("LegacyCustomerUpdate") == 1)
        }
    }

    @Test("a throttled password change does not pause the refreshes of other sessions")
    func throttled() async throws {
        try await LegacyShop.with { shop in
            let (session, other) = (try await shop.signIn(), try await shop.signIn())
            shop.sandbox.storefront.planFault(.tooManyRequests(retryAfter: 30), on: .storefront)
            #expect(await shop.error(changing: session)?.kind == .retryLater)
            _ = try await shop.sessions.refreshTokens(for: other)
            #expect(shop.count("LegacyCustomerUpdate") == 1)
        }
    }

    @Test("no password is sent by an account whose provider is another instance than the session manager's")
    func otherProvider() async throws {
        try await LegacyShop.with { shop in
            let session = try await shop.signIn()
            let environment = IdentityEnvironment(transport: try CurlTransport(), clock: shop.clock)
            let provider = LegacyPasswordProvider(client: shop.client, environment: environment)
            let account = LegacyCustomerAccount(of: session, provider: provider, sessions: shop.sessions)
            let error = await #expect(throws: IdentityError.self) {
                try await account.update(LegacyCustomerUpdateInput(password: .set(LegacyShop.newPassword)))
            }
            #expect(error?.code == .refreshBusy)
            #expect(shop.count("LegacyCustomerUpdate") == 0)
        }
    }

    @Test("the token of a new password is not lost if the store cannot save it at first")
    func storeFailure() async throws {
        let store = FailingStore()
        let (responded, respond) = AsyncStream.makeStream(of: Void.self)
        let transport = try NamedOperations.after("LegacyCustomerUpdate") {
            store.fail(true)
            respond.finish()
        }
        try await LegacyShop.with(store: store, transport: transport) { shop in
            let session = try await shop.signIn()
            // The saves are repeated after pauses. Time passes only after the response, because the refresh has a time limit.
            let time = Task {
                for await _ in responded {}
                while !Task.isCancelled {
                    shop.clock.advance(by: .milliseconds(100))
                    try? await Task.sleep(for: .milliseconds(1))
                }
            }
            try await shop.change(session)
            time.cancel()
            store.fail(false)
            try await shop.checkSignedIn(session)
        }
    }
}
