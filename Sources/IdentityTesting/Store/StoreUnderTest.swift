public import IdentityKit
public import IdentityStoreKit
internal import Testing

/// Opens the store for a case of ``StoreConformance``; the store must be empty at first.
///
/// ```swift
/// StoreUnderTest([.reopening, .attemptLimit]) { options in
///     try await MyStore(directory, maximumAttempts: options.maximumAttempts ?? 10_000)
/// }
/// ```
public struct StoreUnderTest: Sendable {
    /// What the closures of ``init(_:damaging:open:)`` can do for a case, besides opening an empty store.
    ///
    /// A case that needs an undeclared ability is reported as not applicable.
    public enum Ability: String, Sendable, CaseIterable {
        /// The store can be opened a second time, also while the first instance is open, and then contains what was saved.
        case reopening = "open the same data again"
        /// ``Options/maximumAttempts`` has an effect.
        case attemptLimit = "limit the pending logins"
        /// ``Options/maximumSessionsPerTenant`` has an effect.
        case sessionLimit = "limit the sessions of a tenant"
        /// ``Options/maximumUsedTokens`` and ``Options/clock`` have an effect.
        case usedTokenLimit = "limit the used tokens"
        /// ``Options/key`` and ``Options/readOnlyKeys`` have an effect, and saved data stays encrypted with its key after reopening.
        case keys = "choose the keys"
        /// Available if `damaging` was passed to ``init(_:damaging:open:)``.
        case damage = "damage a row"
    }

    /// A change that a case makes directly in the stored data, without a call of the store.
    public enum Damage: Sendable {
        /// Change the record of a session so that it cannot be opened.
        case session(SessionID)
        /// Change the record of an attachment so that it cannot be opened.
        case attachment(String, of: SessionID)
        /// Assign an attachment to another session in the stored data, and leave the attachment's encrypted record unchanged.
        case attachmentOwner(String, of: SessionID, to: SessionID)
    }

    /// The options for opening a store.
    public struct Options: Sendable {
        /// The maximum number of login attempts of a tenant; nil uses the store's default.
        public var maximumAttempts: Int?
        /// The maximum number of sessions of a tenant; nil uses the store's default.
        public var maximumSessionsPerTenant: Int?
        /// The maximum number of used tokens; nil uses the store's default.
        public var maximumUsedTokens: Int?
        /// The store's clock, for example for the expiry of marks of used tokens (`UsedTokenStore`).
        public var clock: any IdentityClock = SystemClock()
        /// The active key; if it is nil, `open` must use the same key at every opening.
        public var key: StoreKey?
        /// The keys that decrypt existing records, and that the store uses for no new record.
        public var readOnlyKeys: [StoreKey] = []
    }

    /// The abilities that were passed to ``init(_:damaging:open:)``, and ``Ability/damage`` if `damaging` was passed.
    public let abilities: Set<Ability>
    private let opening: @Sendable (Options) async throws -> any SessionStore
    private let damaging: (@Sendable (Damage) async throws -> Bool)?

    /// Creates a store under test, which `open` opens.
    ///
    /// - Parameters:
    ///   - abilities: What `open` can set up. ``Ability/damage`` is ignored here, because it depends on whether you pass `damaging`.
    ///   - damage: Changes the stored data without a call of the store. Returns false if the store cannot contain this damage. Then the
    ///     case is reported as not applicable.
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

    func open(key: StoreKey, readOnly old: StoreKey? = nil) async throws -> any SessionStore {
        try await open { options in
            options.key = key
            options.readOnlyKeys = [old].compactMap(\.self)
        }
    }

    func damagedSession(in store: any SessionStore) async throws -> StoredSession {
        let session = try await StoreSample.inserted(in: store)
        try await damage(.session(session.id))
        return session
    }

    func damage(_ damage: Damage) async throws {
        guard try await damaging?(damage) == true else {
            try Test.doesNotApply("the store under test cannot create this damage")
        }
    }
}
