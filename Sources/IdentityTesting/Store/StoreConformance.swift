public import IdentityKit
internal import IdentityStoreKit
public import Testing

/// What every `SessionStore` has to do; whoever writes one runs it, each case against a store of its own.
///
/// ```swift
/// @Test(arguments: StoreConformance.cases)
/// func conformance(_ promise: StoreConformance.Case) async throws {
///     let directory = try emptyDirectory()
///     try await promise.run(on: StoreUnderTest([.reopening]) { _ in try await MyStore(directory) })
/// }
/// ```
///
/// What a store offers besides (`UsedTokenStore`, `ExpirySweeping`, `SessionLocking`, `SessionSpooling`, `StoreHealthChecking`,
/// `RowQuarantining`, `StoreKeyRotating`) has to keep its promises as well. A case about something that the store does not offer,
/// or that the ``StoreUnderTest`` cannot set up, is recorded as a warning with the reason, and cancelled: it never passes for kept.
public struct StoreConformance: Sendable {
    /// One promise.
    public struct Case: Sendable, CustomTestStringConvertible {
        /// The promise in words.
        public let name: String
        private let needs: [StoreUnderTest.Ability]
        private let body: @Sendable (StoreUnderTest) async throws -> Void

        init(_ name: String, _ body: @escaping @Sendable (any SessionStore) async throws -> Void) {
            self.init(name, needing: []) { place in try await body(try await place.open()) }
        }

        init(
            _ name: String,
            needing needs: [StoreUnderTest.Ability],
            _ body: @escaping @Sendable (StoreUnderTest) async throws -> Void
        ) {
            self.name = name
            self.needs = needs
            self.body = body
        }

        /// The promise in words.
        public var testDescription: String { name }

        /// Runs the case where an empty store is opened.
        public func run(on place: StoreUnderTest) async throws {
            for need in needs where !place.abilities.contains(need) {
                try StoreConformance.doesNotApply("the store under test cannot \(need.rawValue)")
            }
            try await body(place)
        }

        /// Runs the case against a fresh, empty store.
        public func run(_ make: @escaping @Sendable () async throws -> any SessionStore) async throws {
            try await run(on: StoreUnderTest { _ in try await make() })
        }
    }

    /// All promises.
    public static let cases: [Case] =
        savingCases + replacingCases + valueCases + sizeCases + removalCases + restartCases + listingCases + filterCases
        + providerSessionCases + tenantCases + tenantLimitCases + loginAttemptCases + loginLimitCases + attachmentCases
        + revisionCases
        + usedTokenCases + sweepCases + lockCases + lockQueueCases + spoolCases + healthCases + quarantineCases
        + keyCases
}

extension StoreConformance {
    /// The store as something that it need not be; where it is not, the case does not apply.
    static func offered<Ability>(_ ability: Ability.Type, by store: any SessionStore) throws -> Ability {
        if let offered = store as? Ability { return offered }
        try doesNotApply("the store is no \(ability)")
    }

    /// Ends a case that asks for what a store need not be able to do; the warning shows it in every report.
    static func doesNotApply(_ reason: String) throws -> Never {
        Issue.record("does not apply: \(reason)", severity: .warning)
        try Test.cancel("does not apply: \(reason)")
    }

    /// Expects an error of the SDK that tells nobody to sign in again.
    @discardableResult
    static func expectTyped(
        _ code: IdentityError.Code? = nil,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws -> Void
    ) async -> IdentityError? {
        let error = await #expect(throws: IdentityError.self, sourceLocation: sourceLocation) { try await body() }
        if let error {
            #expect(error.kind != .signInAgain, sourceLocation: sourceLocation)
            #expect(!error.message.isEmpty, sourceLocation: sourceLocation)
            if let code { #expect(error.code == code, sourceLocation: sourceLocation) }
        }
        return error
    }

    /// Runs something that a store may refuse for its size; an error must be typed.
    ///
    /// - Returns: Whether it was done.
    static func isDone(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws -> Bool
    ) async -> Bool {
        do {
            let isDone = try await body()
            #expect(isDone, sourceLocation: sourceLocation)
            return isDone
        } catch {
            let typed = error as? IdentityError
            #expect(typed != nil, "\(error)", sourceLocation: sourceLocation)
            // Nothing that waiting or a new login would repair.
            #expect(typed?.kind == .configuration || typed?.kind == .rejected, sourceLocation: sourceLocation)
            return false
        }
    }

    /// How many of the calls answer true, all at once.
    static func count(of number: Int, _ call: @escaping @Sendable (Int) async throws -> Bool) async throws -> Int {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<number { group.addTask { try await call(index) } }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
    }
}
