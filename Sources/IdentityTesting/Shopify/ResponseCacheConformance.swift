internal import IdentityKit
public import ShopifyGraphQL
internal import Testing

/// The conformance suite for `ResponseCache`.
///
/// ```swift
/// @Test(arguments: ResponseCacheConformance.cases)
/// func conformance(_ testCase: ResponseCacheConformance.Case) async throws {
///     try await testCase.run { MyCache() }
/// }
/// ```
///
/// Each case needs an empty cache that has room for a hundred small responses.
public struct ResponseCacheConformance: Sendable {
    /// One requirement; its subject is a cache.
    public typealias Case = ConformanceCase<any ResponseCache>

    /// All requirements.
    public static let cases: [Case] = [
        Case("a stored response is found unchanged under its own key only") { cache in
            let ada = try StoreSample.id()
            #expect(await cache.response(for: key(1)) == nil)
            await cache.store(response("one", at: .milliseconds(1_500), of: ada), for: key(1))
            await cache.store(response("two"), for: key(2))
            let one = try #require(await cache.response(for: key(1)))
            #expect(one.body == Array("one".utf8) && one.storedAt == .milliseconds(1_500) && one.session == ada)
            #expect(one.metadata == response("one").metadata)
            let two = try #require(await cache.response(for: key(2)))
            #expect(two.body == Array("two".utf8) && two.session == nil)
            #expect(await cache.response(for: key(3)) == nil)
        },
        Case("a later response replaces the earlier one of the same key") { cache in
            await cache.store(response("old", at: .seconds(1)), for: key(1))
            await cache.store(response("new", at: .seconds(2)), for: key(1))
            let found = await cache.response(for: key(1))
            #expect(found?.body == Array("new".utf8) && found?.storedAt == .seconds(2))
        },
        Case("the end of a session removes its responses and no others") { cache in
            let (ada, grace) = (try StoreSample.id(), try StoreSample.id())
            await cache.store(response("ada", of: ada), for: key(1))
            await cache.store(response("ada too", of: ada), for: key(2))
            await cache.store(response("grace", of: grace), for: key(3))
            await cache.store(response("everybody"), for: key(4))
            await cache.removeAll(for: ada)
            for number in 1...2 { #expect(await cache.response(for: key(number)) == nil) }
            for number in 3...4 { #expect(await cache.response(for: key(number)) != nil) }
        },
        Case("a response that arrives after the end of its session is not stored") { cache in
            let (ada, grace) = (try StoreSample.id(), try StoreSample.id())
            await cache.store(response("before"), for: key(2))
            await cache.removeAll(for: ada)
            for number in 1...2 {
                await cache.store(response("late", of: ada), for: key(number))
                #expect(await cache.response(for: key(number))?.session == nil)
            }
            await cache.store(response("grace", of: grace), for: key(3))
            #expect(await cache.response(for: key(3)) != nil)
            // After `removeAll()`, the cache must still refuse responses of the ended session.
            await cache.removeAll()
            await cache.store(response("late", of: ada), for: key(1))
            #expect(await cache.response(for: key(1)) == nil)
        },
        Case("after everything was removed, the cache is empty and stores new responses") { cache in
            let ada = try StoreSample.id()
            await cache.store(response("one"), for: key(1))
            await cache.store(response("two", of: ada), for: key(2))
            await cache.removeAll()
            for number in 1...2 { #expect(await cache.response(for: key(number)) == nil) }
            await cache.store(response("three"), for: key(1))
            #expect(await cache.response(for: key(1))?.body == Array("three".utf8))
        },
        Case("concurrent calls get the response of their own key") { cache in
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        await cache.store(response("\(number)"), for: key(number))
                        #expect(await cache.response(for: key(number))?.body == Array("\(number)".utf8))
                    }
                }
            }
        },
    ]

    private static func key(_ number: Int) -> ResponseCacheKey {
        let digits = String(number, radix: 16)
        return ResponseCacheKey(digest: String(repeating: "0", count: 64 - digits.utf8.count) + digits)
    }

    private static func response(
        _ body: String,
        at storedAt: Duration = .zero,
        of session: SessionID? = nil
    ) -> CachedResponse {
        CachedResponse(body: Array(body.utf8), storedAt: storedAt, session: session)
    }
}

extension ConformanceCase<any ResponseCache> {
    /// Tests the requirement with a new, empty cache; throws the error of `make`.
    public func run(_ make: () async throws -> any ResponseCache) async throws {
        try await body(try await make())
    }
}
