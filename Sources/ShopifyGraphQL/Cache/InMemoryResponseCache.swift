public import IdentityKit
internal import Synchronization

/// Keeps answers in memory, within a number of entries and bytes; what was used longest ago goes first.
public final class InMemoryResponseCache: ResponseCache {
    private struct Entry {
        var response: CachedResponse
        /// When it was last used: a count, not a time.
        var use: UInt64
    }

    private struct State {
        var entries: [ResponseCacheKey: Entry] = [:]
        /// The keys by last use, so that the oldest is found at once.
        var order: [UInt64: ResponseCacheKey] = [:]
        var oldest: UInt64 = 0
        var uses: UInt64 = 0
        var bytes = 0
        /// Sessions that have ended: an answer that was under way then must not be kept for them.
        var ended: Set<SessionID> = []
    }

    /// Of so many ended sessions it is known; an answer is not under way for as long as that takes.
    private static let maximumEnded = 10_000

    /// What an entry costs beside its body: key, metadata and places in the tables, roughly.
    private static let overhead = 1024

    private let maximumEntries: Int
    private let maximumBytes: Int
    private let state = Mutex(State())

    /// A cache.
    ///
    /// - Parameters:
    ///   - maximumEntries: How many answers are kept; 1,000 unless given.
    ///   - maximumBytes: How much memory they take together; 32 MiB unless given. An answer that would take a quarter of it or
    ///     more is not kept.
    public init(maximumEntries: Int = 1000, maximumBytes: Int = 32 << 20) {
        self.maximumEntries = max(0, maximumEntries)
        self.maximumBytes = max(0, maximumBytes)
    }

    /// How many answers are kept.
    public var count: Int { state.withLock { $0.entries.count } }

    /// How many bytes they take.
    public var bytes: Int { state.withLock { $0.bytes } }

    /// What is kept under a key; it counts as used now.
    public func response(for key: ResponseCacheKey) async -> CachedResponse? {
        state.withLock { state in
            guard let entry = state.entries[key] else { return nil }
            Self.touch(key, entry, &state)
            return entry.response
        }
    }

    /// Keeps a response, and lets others go where there is no room.
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

    /// Removes what was kept for a session.
    public func removeAll(for session: SessionID) async {
        state.withLock { state in
            if state.ended.count >= Self.maximumEnded { state.ended = [] }
            state.ended.insert(session)
            for (key, entry) in state.entries where entry.response.session == session { Self.remove(key, &state) }
        }
    }

    /// Removes everything.
    public func removeAll() async {
        state.withLock { state in
            let ended = state.ended
            state = State()
            state.ended = ended
        }
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
        // Each count is passed once, so this costs no more than the uses did.
        while state.oldest <= state.uses {
            if let key = state.order[state.oldest] { return key }
            state.oldest += 1
        }
        return nil
    }
}

extension InMemoryResponseCache: CustomStringConvertible, CustomReflectable {
    /// How many answers there are.
    public var description: String { "InMemoryResponseCache(\(count) answers)" }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
