import FoundationEssentials
import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityTesting
import Synchronization
import TestDoubles
import Testing

@testable import IdentityOIDC

@Suite("Fetching key sets")
struct KeySetFetcherTests {
    @Test(
        "keys are cached as long as the headers say, at least five minutes and at most a day",
        arguments: [
            ([], nil), ([("Cache-Control", "public")], nil), ([("Cache-Control", "max-age=600")], 600),
            ([("Cache-Control", "Public , MAX-AGE=600")], 600), ([("Cache-Control", "max-age=\"600\"")], 600),
            ([("Cache-Control", "max-age=0")], 300), ([("Cache-Control", "max-age=9999999")], 86_400),
            ([("Cache-Control", "max-age=99999999999999999999")], 86_400), ([("Cache-Control", "max-age=x")], 300),
            ([("Cache-Control", "max-age=-5")], 300), ([("Cache-Control", "max-age=900, max-age=600")], 600),
            ([("Cache-Control", "public"), ("Cache-Control", "max-age=600")], 600),
            ([("Cache-Control", "no-store, max-age=600")], 300), ([("Cache-Control", "no-cache")], 300),
            ([("Cache-Control", "max-age=1000"), ("Age", "400")], 600),
            ([("Cache-Control", "max-age=1000"), ("Age", "5000")], 300),
            ([("Cache-Control", "max-age=1000"), ("Age", "-5")], 1000),
            ([("Expires", "Mon, 21 Sep 2026 13:43:20 GMT"), ("Date", "Mon, 21 Sep 2026 13:33:20 GMT")], 600),
            ([("Expires", "Mon, 21 Sep 2026 14:43:20 GMT")], 1800), ([("Expires", "0")], 300),
            ([("Expires", "Mon, 21 Sep 2026 14:43:20 GMT"), ("Age", "900")], 900),
            ([("Expires", "Mon, 21 Sep 2026 14:43:20 GMT"), ("Cache-Control", "max-age=600")], 600),
            ([("Expires", "Mon, 21 Sep 2020 14:13:20 GMT")], 300),
        ] as [([(String, String)], Int?)]
    )
    func lifetime(fields: [(String, String)], seconds: Int?) throws {
        var headers = HTTPHeaders()
        for (name, value) in fields { try headers.append(name, value) }
        // Mon, 21 Sep 2026 14:13:20 GMT
        let now = Date(timeIntervalSince1970: 1_790_000_000)
        #expect(KeySetLifetime.read(headers, now: now) == seconds.map { .seconds($0) })
    }

    @Test("an unchanged key set is confirmed with 304, whose headers give the new lifetime")
    func notModified() async throws {
        try await KeyEndpoint.withChannel { endpoint, httpClient, url, clock in
            let fetch = KeySetFetcher(httpClient: httpClient, provider: "any")
            endpoint.send([("ETag", "W/\"1\""), ("Cache-Control", "max-age=600")])
            endpoint.knowTags()
            let first = try await fetch.keys(at: url)
            #expect(endpoint.last?.header("If-None-Match") == nil)
            clock.advance(by: .seconds(700))
            let second = try await fetch.keys(at: url, after: first)
            #expect(endpoint.last?.header("If-None-Match") == "W/\"1\"")
            #expect(endpoint.last?.header("Cache-Control") == nil)
            #expect(second.revision == first.revision && second.fetch != first.fetch)
            #expect(second.receivedAt == first.receivedAt && second.freshUntil == .seconds(1300))
            // A confirmation without a lifetime keeps the previous one.
            endpoint.send([("ETag", "W/\"1\"")])
            #expect(try await fetch.keys(at: url, after: second).lifetime == .seconds(600))
            // A proxy cache that always answers 304 can confirm old keys for one day only.
            clock.advance(by: KeySetFetcher.maximumConfirmedAge)
            let last = try await fetch.keys(at: url, after: second)
            #expect(endpoint.last?.header("If-None-Match") == nil)
            #expect(last.receivedAt > first.receivedAt && last.revision == first.revision)
        }
    }

    @Test(
        "an invalid entity tag is not sent back",
        arguments: ["1", "\"a\"b\"", "\"", "w/\"1\"", "\"a b\"", "W/"]
    )
    func entityTag(value: String) async throws {
        try await KeyEndpoint.withChannel { endpoint, httpClient, url, _ in
            endpoint.send([("ETag", value)])
            let fetch = KeySetFetcher(httpClient: httpClient, provider: "any")
            let first = try await fetch.keys(at: url)
            _ = try await fetch.keys(at: url, after: first)
            #expect(endpoint.last?.header("If-None-Match") == nil)
        }
    }

    @Test("the order of the keys and unusable keys do not make a different key set")
    func sameKeys() async throws {
        let (one, two) = (try TokenSigner(.es256).jwk, try TokenSigner(.rs256).jwk)
        try await KeyEndpoint.withChannel { endpoint, httpClient, url, _ in
            let fetch = KeySetFetcher(httpClient: httpClient, provider: "any")
            endpoint.publish([one, two])
            let first = try await fetch.keys(at: url)
            endpoint.publish([two, KeyEndpoint.unusable, one])
            #expect(try await fetch.keys(at: url, after: first).revision == first.revision)
            endpoint.publish([one])
            #expect(try await fetch.keys(at: url, after: first).revision != first.revision)
            var renamed = try #require(two.object)
            renamed["kid"] = .string("another")
            endpoint.publish([one, .object(renamed)])
            #expect(try await fetch.keys(at: url, after: first).revision != first.revision)
        }
    }

    @Test(
        "an outage of the key set's endpoint is provider_unavailable with its Retry-After, another status a configuration error",
        arguments: [
            (429, .retryLater, .providerUnavailable, 7), (503, .retryLater, .providerUnavailable, 7),
            (404, .configuration, .discoveryFailed, nil), (403, .configuration, .discoveryFailed, nil),
        ] as [(Int, IdentityError.Kind, IdentityError.Code, Int?)]
    )
    func outage(status: Int, kind: IdentityError.Kind, code: IdentityError.Code, seconds: Int?) async throws {
        try await KeyEndpoint.withChannel { endpoint, httpClient, url, _ in
            endpoint.send([("Retry-After", "7")])
            endpoint.answer(with: status)
            let error = await #expect(throws: IdentityError.self) {
                _ = try await KeySetFetcher(httpClient: httpClient, provider: "any").keys(at: url)
            }
            #expect(error?.code == code && error?.kind == kind)
            #expect(error?.retryAfter == seconds.map { .seconds($0) })
        }
    }

    @Test("a key set above the size limit is refused")
    func size() async throws {
        try await KeyEndpoint.withChannel { endpoint, httpClient, url, _ in
            endpoint.publish([.string(String(repeating: "A", count: 2 << 20))])
            await #expect(throws: IdentityError.self) {
                _ = try await KeySetFetcher(httpClient: httpClient, provider: "any").keys(at: url)
            }
        }
    }

    @Test("a cancelled fetch causes no event about an unavailable key set", arguments: [true, false])
    func cancelled(_ isCancelled: Bool) async throws {
        let log = EventSink()
        let code: HTTPTransportError.Code = isCancelled ? .cancelled : .closed
        let transport = NoNetwork(HTTPTransportError(code: code, phase: .notSent, message: "Not sent."))
        let httpClient = ProviderHTTPClient(
            environment: IdentityEnvironment(transport: transport, observers: [log]),
            timeout: .seconds(5),
            allowsLoopbackHTTP: false,
            configured: []
        )
        await #expect(throws: IdentityError.self) {
            _ = try await KeySetFetcher(httpClient: httpClient, provider: "any").keys(
                at: HTTPURL("https://id.example/keys")
            )
        }
        #expect(log.kinds.contains { if case .keySetUnavailable = $0 { true } else { false } } == !isCancelled)
    }
}
