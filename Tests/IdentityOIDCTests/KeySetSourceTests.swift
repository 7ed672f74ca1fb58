import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityTesting
import TestDoubles
import Testing

@testable import IdentityOIDC

/// All rules together, with an endpoint on a real socket.
@Suite("Key sets")
struct KeySetSourceTests {
    @Test("keys are fetched once for all waiting callers, and cached")
    func singleFetch() async throws {
        try await KeyEndpoint.withSource { endpoint, source, url, _ in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<50 { group.addTask { try await source.keys(at: url).keys.count } }
                for try await count in group { #expect(count == 1) }
            }
            #expect(endpoint.fetches == 1)
        }
    }

    @Test("ten thousand unknown key ids cause only the fetches that the rate limit permits")
    func flood() async throws {
        let log = EventSink()
        try await KeyEndpoint.withSource(observers: [log]) { endpoint, source, url, clock in
            let known = try await source.keys(at: url)
            for number in 0..<10_000 {
                #expect(try await source.newerKeys(at: url, than: known, keyID: "made-up-\(number)") == nil)
            }
            #expect(endpoint.fetches == 3)
            clock.advance(by: .seconds(60))
            for number in 0..<100 {
                #expect(try await source.newerKeys(at: url, than: known, keyID: "other-\(number)") == nil)
            }
            #expect(endpoint.fetches == 4)
            let told: [IdentityEvent.Kind] = [
                .keySetRefreshed, .keySetRefreshed, .keySetRefreshed, .keySetRefetchRefused, .keySetRefreshed,
                .keySetRefetchRefused,
            ]
            #expect(log.kinds == told)
        }
    }

    @Test("ten thousand concurrent unknown key ids cause only the fetches that the rate limit permits")
    func floodAtOnce() async throws {
        try await KeyEndpoint.withSource { endpoint, source, url, _ in
            let known = try await source.keys(at: url)
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<10_000 {
                    group.addTask { try await source.newerKeys(at: url, than: known, keyID: "\(number)") == nil }
                }
                for try await isNone in group { #expect(isNone) }
            }
            #expect(endpoint.fetches <= 3)
        }
    }

    @Test("a key rotation right before signing succeeds at once, also twice and with HTTP caches")
    func rotation() async throws {
        try await KeyEndpoint.withSource { endpoint, source, url, _ in
            for _ in 0..<2 {
                let known = try await source.keys(at: url)
                let forge = try TokenSigner(.es256)
                endpoint.publish([forge.jwk])
                let newer = try #require(try await source.newerKeys(at: url, than: known, keyID: nil))
                _ = try IDTokenValidator.validate(
                    JSONWebToken(parsing: forge.token()),
                    keys: newer.keys,
                    expecting: TokenSigner.expectations()
                )
                #expect(endpoint.last?.header("Cache-Control") == "no-cache")
            }
        }
    }

    @Test("ten seconds after an outage with 1,000 unknown key ids, new keys are fetched")
    func rotationAfterOutage() async throws {
        try await KeyEndpoint.withSource { endpoint, source, url, clock in
            let known = try await source.keys(at: url)
            endpoint.answer(with: 503)
            for number in 0..<1000 {
                let refusal = await #expect(throws: IdentityError.self) {
                    _ = try await source.newerKeys(at: url, than: known, keyID: "made-up-\(number)")
                }
                #expect(refusal?.kind == .retryLater)
            }
            // The number of fetches during an outage has a separate limit.
            #expect(endpoint.fetches == 3)
            endpoint.answer(with: 200)
            for number in 1...2 {
                clock.advance(by: .seconds(number == 1 ? 10 : 0))
                endpoint.publish([try TokenSigner(.es256).jwk])
                let latest = try await source.keys(at: url)
                #expect(try await source.newerKeys(at: url, than: latest, keyID: nil) != nil)
            }
            #expect(endpoint.fetches == 5)
        }
    }

    @Test(
        "an HTML page instead of the key set is an outage; a redirect, invalid JSON and an empty set are not",
        arguments: [
            (200, "<html>", "retry_later"), (200, "", "retry_later"), (503, "", "retry_later"), (302, "", "rejected"),
            (304, "", "rejected"), (200, "{}", "rejected"), (200, #"{"keys":[],"keys":[]}"#, "rejected"),
            (200, #"{"keys":[]}"#, "rejected"), (200, #"{"keys":[{"kty":"oct","k":"AAAA"}]}"#, "rejected"),
        ]
    )
    func unreadable(status: Int, body: String, kind: String) async throws {
        try await KeyEndpoint.withChannel { _, httpClient, _, _ in
            let server = try await LoopbackServer.start { _ in .message(status: status, body: Array(body.utf8)) }
            let error = await #expect(throws: IdentityError.self) {
                _ = try await KeySetSource(httpClient: httpClient, provider: "any").keys(
                    at: HTTPURL(server.origin + "/")
                )
            }
            #expect(error?.kind.rawValue == kind)
            await server.stop()
        }
    }

    @Test(
        "neither an outage nor an empty key set removes valid keys before the maximum age",
        arguments: [
            ("down", 503), ("empty", 200), ("unusable", 200), ("encryption", 200), ("moved", 302), ("denied", 304),
        ]
    )
    func outage(what: String, status: Int) async throws {
        let log = EventSink()
        try await KeyEndpoint.withSource(observers: [log]) { endpoint, source, url, clock in
            _ = try await source.keys(at: url)
            endpoint.answer(with: status)
            var key = try TokenSigner(.rs256).jwkMembers
            (key["use"], key["alg"]) = (nil, .string("RSA-OAEP-256"))
            endpoint.publish(["unusable": [KeyEndpoint.unusable], "encryption": [.object(key)]][what] ?? [])
            clock.advance(by: .seconds(2 * 86_400 - 1))
            #expect(try await source.keys(at: url).keys.count == 1)
            #expect(log.kinds.contains { if case .keySetUnavailable = $0 { true } else { false } })
            clock.advance(by: .seconds(1))
            await #expect(throws: IdentityError.self) { _ = try await source.keys(at: url) }
        }
    }

    @Test("keys that are used after their expiry, because of an outage, are reported as expired")
    func state() async throws {
        try await KeyEndpoint.withSource { endpoint, source, url, clock in
            #expect(source.state == .notFetched)
            _ = try await source.keys(at: url)
            clock.advance(by: .seconds(3599))
            #expect(source.state == .fresh(age: .seconds(3599)))
            endpoint.answer(with: 503)
            clock.advance(by: .seconds(1))
            _ = try await source.keys(at: url)
            #expect(source.state == .expired(age: .seconds(3600)))
            endpoint.answer(with: 200)
            clock.advance(by: .seconds(60))
            _ = try await source.keys(at: url)
            #expect(source.state == .fresh(age: .zero))
        }
    }

    @Test("a key that is no longer published is not used after the cached set expired")
    func revocation() async throws {
        try await KeyEndpoint.withSource { endpoint, source, url, clock in
            let old = try await source.keys(at: url)
            endpoint.publish([try TokenSigner(.es256).jwk])
            clock.advance(by: .seconds(3600))
            #expect(!(try await source.keys(at: url).keys.hasSameKeys(as: old.keys)))
        }
    }

    @Test("keys of one URL are not used for another, and an error response with keys is not a key set")
    func address() async throws {
        try await KeyEndpoint.withSource { endpoint, source, url, _ in
            let other = try HTTPURL(url.text + "/other")
            let known = try await source.keys(at: url)
            _ = try await source.keys(at: other)
            #expect(endpoint.fetches == 2)
            #expect(try await source.newerKeys(at: other, than: known, keyID: "a")?.url == other)
            #expect(endpoint.fetches == 2)
            endpoint.answer(with: 404)
            await #expect(throws: IdentityError.self) { _ = try await source.keys(at: url) }
        }
    }

    @Test("a caller with old keys gets the newer ones that another caller has fetched")
    func sharedNews() async throws {
        try await KeyEndpoint.withSource { endpoint, source, url, _ in
            let known = try await source.keys(at: url)
            endpoint.publish([try TokenSigner(.es256).jwk])
            for _ in 0..<5 { #expect(try await source.newerKeys(at: url, than: known, keyID: nil) != nil) }
            #expect(endpoint.fetches == 2)
        }
    }

    @Test("while the key set cannot be fetched, an unknown key or an invalid signature counts as an outage")
    func refusals() async throws {
        try await KeyEndpoint.withSource { endpoint, source, url, _ in
            func code(_ thrown: IdentityError.Code) async -> IdentityError.Code? {
                let refusal = IdentityError(.rejected, thrown, "")
                return await #expect(throws: IdentityError.self) {
                    try await source.verifying(with: url, keyID: nil) { _ in throw refusal }
                }?.code
            }
            _ = try await source.keys(at: url)
            endpoint.answer(with: 503)
            #expect(await code(.idTokenSignature) == .providerUnavailable)
            #expect(await code(.idTokenKeyUnknown) == .providerUnavailable)
            #expect(endpoint.fetches == 3)
            #expect(await code(.idTokenNonce) == .idTokenNonce)
            #expect(endpoint.fetches == 3)
        }
    }
}
