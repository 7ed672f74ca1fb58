package import IdentityHTTP
internal import IdentityKit
internal import Synchronization

/// A provider's keys: kept between bounds that the answer's headers choose, fetched once for all who wait, never lost to an
/// outage.
package final class KeySetSource: Sendable {
    private struct Entry {
        var url: HTTPURL
        var keys: JSONWebKeySet
        var freshUntil: Duration
        var revision: Int
    }

    private struct State {
        var entry: Entry?
        var budget = RefetchBudget()
    }

    /// How long old keys serve after a failure before they are asked for again.
    private static let pause = Duration.seconds(60)

    private let channel: ProviderChannel
    private let headers: [(name: String, value: String)]
    private let state = Mutex(State())
    private let fetches = SingleFlight<String, Int>()

    package init(channel: ProviderChannel, headers: [(name: String, value: String)] = []) {
        self.channel = channel
        self.headers = headers
    }

    /// The keys at an address, with a number that changes when they do.
    ///
    /// - Throws: `IdentityError` when there are none and none can be had.
    package func keys(at url: HTTPURL) async throws -> (keys: JSONWebKeySet, revision: Int) {
        let now = channel.environment.clock.elapsed
        let cached = state.withLock { $0.entry }
        if let cached, cached.url == url, now < cached.freshUntil { return (cached.keys, cached.revision) }
        do {
            try await fetch(url, knowing: cached?.revision)
        } catch {
            // Keys that were good do not turn bad because the provider is down.
            guard let cached, cached.url == url else { throw error }
            state.withLock { state in
                guard state.entry?.revision == cached.revision else { return }
                state.entry?.freshUntil = channel.environment.clock.elapsed + Self.pause
            }
            return (cached.keys, cached.revision)
        }
        return try current(url)
    }

    /// Newer keys, for a token whose key is not among the known ones; nil when the budget for such fetches is spent.
    package func newerKeys(at url: HTTPURL, than revision: Int) async throws -> JSONWebKeySet? {
        let (isNewer, isAllowed) = state.withLock { state in
            if let entry = state.entry, entry.url == url, entry.revision != revision { return (true, false) }
            return (false, state.budget.take(at: channel.environment.clock.elapsed))
        }
        if isNewer { return try current(url).keys }
        guard isAllowed else { return nil }
        try await fetch(url, knowing: revision)
        return try current(url).keys
    }

    private func current(_ url: HTTPURL) throws -> (keys: JSONWebKeySet, revision: Int) {
        guard let entry = state.withLock({ $0.entry }), entry.url == url else {
            throw IdentityError(.retryLater, .discoveryFailed, "The provider's key set changed its address.")
        }
        return (entry.keys, entry.revision)
    }

    /// Fetches the keys, unless others did since the caller looked: between the look and the fetch theirs may have ended.
    private func fetch(_ url: HTTPURL, knowing revision: Int?) async throws {
        _ = try await fetches.run(url.text) { [self] in
            if let entry = state.withLock({ $0.entry }), entry.url == url, entry.revision != revision {
                return entry.revision
            }
            let response = try await channel.send(
                .get,
                url,
                headers: try ProviderChannel.headers(headers),
                asking: "The provider's key set"
            )
            guard !(300..<400).contains(response.status) else {
                throw IdentityError(
                    .rejected,
                    .redirectRefused,
                    "The provider's key set answered with a redirect, which was not followed.",
                    hint: "Configure the address to which it leads, if that is the provider's.",
                    providerAnswer: IdentityError.ProviderAnswer(status: response.status)
                )
            }
            guard response.status == 200 else {
                throw IdentityError(
                    .retryLater,
                    .discoveryFailed,
                    "The provider's key set cannot be had (HTTP \(response.status)).",
                    hint: "Try again in a while; if it goes on, check the provider's jwks_uri.",
                    providerAnswer: IdentityError.ProviderAnswer(status: response.status)
                )
            }
            let keys = try JSONWebKeySet(parsing: response.body)
            let freshUntil = channel.environment.clock.elapsed + Self.lifetime(response.headers["Cache-Control"])
            return state.withLock { state in
                let revision = (state.entry?.revision ?? 0) + 1
                state.entry = Entry(url: url, keys: keys, freshUntil: freshUntil, revision: revision)
                return revision
            }
        }
    }

    /// `max-age`, but no less than five minutes and no more than a day; an hour when the answer does not say.
    private static func lifetime(_ cacheControl: String?) -> Duration {
        let directive = cacheControl?.lowercased().split(separator: ",")
            .map { $0.drop { $0 == " " } }.first { $0.hasPrefix("max-age=") }
        guard let seconds = directive.flatMap({ Int($0.dropFirst(8)) }) else { return .seconds(3600) }
        return .seconds(min(max(seconds, 300), 86_400))
    }
}
