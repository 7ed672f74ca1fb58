public import IdentityKit
internal import Synchronization

/// Keeps responses in memory, and removes the least recently used responses when it is full.
public final class InMemoryResponseCache: ResponseCache {
    private struct Entry {
        var response: CachedResponse
        /// The value of `State.uses` at the last use.
        var use: UInt64
    }

    private struct State {
        var entries: [ResponseCacheKey: Entry] = [:]
        /// Each key by its entry's `use`: the smallest number belongs to the least recently used entry.
        var order: [UInt64: ResponseCacheKey] = [:]
        var oldest: UInt64 = 0
        var uses: UInt64 = 0
        var bytes = 0
        var ended: Set<SessionID> = []
    }

    private static let maximumEnded = 10_000

    /// The approximate size in bytes of an entry without its body.
    private static let overhead = 1024

    private let maximumEntries: Int
    private let maximumBytes: Int
    private let state = Mutex(State())

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - maximumEntries: The maximum number of responses, 1,000 by default.
    ///   - maximumBytes: The memory limit of all responses, 32 MiB by default. A response of a quarter of the limit or more is not stored.
    public init(maximumEntries: Int = 1000, maximumBytes: Int = 32 << 20) {
        self.maximumEntries = max(0, maximumEntries)
        self.maximumBytes = max(0, maximumBytes)
    }

    /// The number of responses.
    public var count: Int { state.withLock { $0.entries.count } }

    /// The approximate memory of all responses in bytes.
    public var bytes: Int { state.withLock { $0.bytes } }

    /// The response for a key; nil if the cache has no response for the key.
    public func response(for key: ResponseCacheKey) async -> CachedResponse? {
        state.withLock { state in
            guard let entry = state.entries[key] else { return nil }
            Self.touch(key, entry, &state)
            return entry.response
        }
    }

    /// Stores a response, and removes others if the cache is full.
    ///
    /// A response that is too large, or whose session has ended, is not stored.
    public func store(_ response: CachedResponse, for key: ResponseCacheKey) async {
        let cost = Self.cost(of: response)
        state.withLock { state in
            Self.remove(key, &state)
            if let session = response.session, state.ended.contains(session) { return }
            guard maximumEntries > 0, cost < maximumBytes / 4 else { return }
            while state.entries.count >= maximumEntries || state.bytes + cost > maximumBytes {
                guard let key = Self.leastRecentlyUsed(&state) else { break }
                Self.remove(key, &state)
            }
            state.bytes += cost
            Self.touch(key, Entry(response: response, use: 0), &state)
        }
    }

    /// Removes the responses of a session that has ended, and ignores later responses for this session.
    ///
    /// The cache remembers at most 10,000 ended sessions. After that, it forgets all of them and may store a late response.
    public func removeAll(for session: SessionID) async {
        state.withLock { state in
            if state.ended.count >= Self.maximumEnded { state.ended = [] }
            state.ended.insert(session)
            for (key, entry) in state.entries where entry.response.session == session { Self.remove(key, &state) }
        }
    }

    /// Removes all responses.
    public func removeAll() async {
        state.withLock { $0 = State(ended: $0.ended) }
    }

    private static func cost(of response: CachedResponse) -> Int { response.body.count + overhead }

    private static func touch(_ key: ResponseCacheKey, _ entry: Entry, _ state: inout State) {
        state.order[entry.use] = nil
        state.uses += 1
        state.order[state.uses] = key
        state.entries[key] = Entry(response: entry.response, use: state.uses)
    }

    private static func remove(_ key: ResponseCacheKey, _ state: inout State) {
        guard let entry = state.entries.removeValue(forKey: key) else { return }
        state.order[entry.use] = nil
        state.bytes -= cost(of: entry.response)
    }

    private static func leastRecentlyUsed(_ state: inout State) -> ResponseCacheKey? {
        // `oldest` never decreases, so all calls together take time proportional to the number of uses.
        while state.oldest <= state.uses {
            if let key = state.order[state.oldest] { return key }
            state.oldest += 1
        }
        return nil
    }
}

extension InMemoryResponseCache: Redacted {
    /// The number of responses.
    public var description: String { "InMemoryResponseCache(\(count) responses)" }
}
