import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityTesting
import TestDoubles
import Testing

@Suite("The binding of a login to a browser")
struct BrowserBindingTests {
    /// The store's key for the login attempt of a callback.
    private static func attemptKey(of callback: LoginCallback) throws -> String? {
        try callback.value(of: "state").map { Base64URL.encode(try Digest.sha256($0.revealBytes())) }
    }

    @Test("a callback completes its login once, and only in the browser that began it")
    func oneUse() async throws {
        let world = try LoginStage()
        let (started, callback) = try await world.beginAndCallback()
        let login = try await world.manager.complete(callback, browserBinding: started.browserBinding)
        #expect(login.session.buyer.subject == "buyer-1")
        let error = await #expect(throws: IdentityError.self) {
            _ = try await world.manager.complete(callback, browserBinding: started.browserBinding)
        }
        #expect(error?.code == .stateUnknown)
    }

    @Test("a callback from another browser, without a cookie, or too late is refused, and ends no login")
    func binding() async throws {
        let world = try LoginStage()
        let (own, callback) = try await world.beginAndCallback()
        let (other, second) = try await world.beginAndCallback()
        let (late, third) = try await world.beginAndCallback()
        let wrong = await #expect(throws: IdentityError.self) {
            _ = try await world.manager.complete(callback, browserBinding: other.browserBinding)
        }
        #expect(wrong?.code == .browserMismatch)
        let none = await #expect(throws: IdentityError.self) {
            _ = try await world.manager.complete(second, browserBinding: nil)
        }
        #expect(none?.code == .browserMismatch)
        _ = try await world.manager.complete(callback, browserBinding: own.browserBinding)
        world.clock.advance(by: .seconds(601))
        let expired = await #expect(throws: IdentityError.self) {
            _ = try await world.manager.complete(third, browserBinding: late.browserBinding)
        }
        #expect(expired?.code == .attemptExpired)
        #expect(try await world.manager.sessions().count == 1)
    }

    @Test(
        "a stored login attempt without its browser binding is refused, with its cookie, an empty cookie and no cookie"
    )
    func unbound() async throws {
        let world = try LoginStage()
        let (started, callback) = try await world.beginAndCallback()
        let key = try #require(try Self.attemptKey(of: callback))
        let attempt = try #require(try await world.store.takeLoginAttempt(key))
        // A member begins with the length of its name, and has four bytes for the length of its value, here a SHA-256 digest.
        var payload = attempt.payload.revealBytes()
        let name = try #require(payload.firstRange(of: [7] + Array("binding".utf8)))
        payload.removeSubrange(name.lowerBound..<name.upperBound + 4 + 32)
        #expect(RecordReader(Secret(bytes: payload)) != nil)
        for cookie in [started.browserBinding, Secret(""), nil] {
            try await world.store.insert(
                StoredLoginAttempt(
                    key: attempt.key,
                    tenant: attempt.tenant,
                    expiresAt: attempt.expiresAt,
                    payload: Secret(bytes: payload)
                )
            )
            let error = await #expect(throws: IdentityError.self) {
                _ = try await world.manager.complete(callback, browserBinding: cookie)
            }
            #expect(error?.code == .storeCorrupt)
        }
        #expect(world.provider.exchanges == 0)
    }
}
