public import IdentityKit
public import IdentityStoreKit

/// Where the store of one case lives: empty at first, opened once or more often.
///
/// ```swift
/// StoreUnderTest([.reopening, .attemptLimit]) { options in
///     try await MyStore(directory, maximumAttempts: options.maximumAttempts ?? 10_000)
/// }
/// ```
public struct StoreUnderTest: Sendable {
    /// What can be set up besides a store as it is by default; the cases that need more are shown as not applicable.
    public enum Ability: String, Sendable, CaseIterable {
        /// A store that is opened again, also while the first is open, has what was saved.
        case reopening = "open the same data again"
        /// ``Options/maximumAttempts`` is heeded.
        case attemptLimit = "limit the pending logins"
        /// ``Options/maximumSessionsPerTenant`` is heeded.
        case sessionLimit = "limit the sessions of a tenant"
        /// ``Options/maximumUsedTokens`` and ``Options/clock`` are heeded.
        case usedTokenLimit = "limit the used tokens"
        /// ``Options/key`` and ``Options/readOnlyKeys`` are heeded, and kept by the data until it is opened with others.
        case keys = "choose the keys"
        /// Given by ``init(_:damaging:open:)``.
        case damage = "damage a row"
    }

    /// A change that a case makes to a stored record behind the store's back.
    public enum Damage: Sendable {
        /// The record of a session is changed so that it cannot be opened any more.
        case session(SessionID)
        /// The record of what is attached under a name is changed so that it cannot be opened any more.
        case attachment(String, of: SessionID)
        /// What is attached under a name is listed with another session; its record stays as it is.
        case attachmentOwner(String, of: SessionID, to: SessionID)
    }

    /// How a store is to be opened.
    public struct Options: Sendable {
        /// How many pending logins of a tenant are kept; nil for the store's own number.
        public var maximumAttempts: Int?
        /// How many sessions a tenant may have; nil for the store's own number.
        public var maximumSessionsPerTenant: Int?
        /// How many used tokens are kept; nil for the store's own number.
        public var maximumUsedTokens: Int?
        /// By which used tokens expire and waits are measured.
        public var clock: any IdentityClock = SystemClock()
        /// The key that seals; nil for any one, the same at every opening.
        public var key: StoreKey?
        /// Keys that only open.
        public var readOnlyKeys: [StoreKey] = []
    }

    /// What can be set up.
    public let abilities: Set<Ability>
    private let opening: @Sendable (Options) async throws -> any SessionStore
    private let damaging: (@Sendable (Damage) async throws -> Bool)?

    /// Describes how a store is opened.
    ///
    /// - Parameters:
    ///   - abilities: What `open` can do.
    ///   - damage: Changes a stored record behind the store's back; returns false where the store keeps no such record, and the case
    ///     then does not apply.
    ///   - open: Opens the store.
    public init(
        _ abilities: Set<Ability> = [],
        damaging damage: (@Sendable (Damage) async throws -> Bool)? = nil,
        open: @escaping @Sendable (Options) async throws -> any SessionStore
    ) {
        self.abilities = damage == nil ? abilities.subtracting([.damage]) : abilities.union([.damage])
        opening = open
        damaging = damage
    }

    func open(_ change: (inout Options) -> Void = { _ in }) async throws -> any SessionStore {
        var options = Options()
        change(&options)
        return try await opening(options)
    }

    func damage(_ id: SessionID) async throws {
        try await damage(.session(id))
    }

    func damage(_ damage: Damage) async throws {
        guard try await damaging?(damage) == true else {
            try StoreConformance.doesNotApply("the store under test cannot make this damage")
        }
    }
}
