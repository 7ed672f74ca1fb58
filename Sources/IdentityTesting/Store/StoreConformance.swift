public import IdentityKit
internal import IdentityStoreKit
public import Testing

/// The conformance suite for stores.
///
/// If you write a `SessionStore`, run every case against an empty store.
///
/// ```swift
/// @Test(arguments: StoreConformance.cases)
/// func conformance(_ testCase: StoreConformance.Case) async throws {
///     let directory = try emptyDirectory()
///     try await testCase.run(on: StoreUnderTest([.reopening]) { _ in try await MyStore(directory) })
/// }
/// ```
///
/// The suite also tests the optional protocols of a store, such as `UsedTokenStore`, `ExpirySweeping`, `SessionSpooling` and
/// `StoreKeyRotating`. If the store or the ``StoreUnderTest`` lacks what a case needs, such as a protocol or an ability, the case records
/// a warning with the reason and is cancelled. A cancelled case does not count as passed.
/// `Documentation/Extending/StoreOfYourOwn.md` shows a whole store.
public struct StoreConformance: Sendable {
    /// One required behaviour of a store.
    public struct Case: Sendable, CustomTestStringConvertible {
        /// The behaviour as a sentence.
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

        init(
            _ name: String,
            needing needs: [StoreUnderTest.Ability],
            _ body: @escaping @Sendable (any SessionStore, StoreUnderTest) async throws -> Void
        ) {
            self.init(name, needing: needs) { place in try await body(try await place.open(), place) }
        }

        /// The same as ``name``.
        public var testDescription: String { name }

        /// Runs the case against an empty store; throws the errors of the store that end the case.
        public func run(on place: StoreUnderTest) async throws {
            for need in needs where !place.abilities.contains(need) {
                try Test.doesNotApply("the store under test cannot \(need.rawValue)")
            }
            try await body(place)
        }

        /// Runs the case against a fresh, empty store.
        ///
        /// This method cancels a case that needs a ``StoreUnderTest/Ability``: use ``run(on:)`` for that case.
        public func run(_ make: @escaping @Sendable () async throws -> any SessionStore) async throws {
            try await run(on: StoreUnderTest { _ in try await make() })
        }
    }

    /// All cases.
    public static let cases: [Case] =
        savingCases + replacingCases + valueCases + sizeCases + removalCases + restartCases + listingCases + filterCases
        + providerSessionCases + tenantCases + tenantLimitCases + loginAttemptCases + loginLimitCases + attachmentCases
        + revisionCases
        + usedTokenCases + sweepCases + lockCases + lockQueueCases + spoolCases + healthCases + quarantineCases
        + keyCases
}

extension StoreConformance {
    /// Expects an `IdentityError` with the code, or with any code if `code` is nil; its kind must not be `signInAgain`.
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

    /// Runs a call that a store may refuse because a value is too large, and returns whether the call succeeded.
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
            // The error must not suggest waiting or a new login, because neither would help.
            #expect(typed?.kind == .configuration || typed?.kind == .rejected, sourceLocation: sourceLocation)
            return false
        }
    }

    static func count(of number: Int, _ call: @escaping @Sendable (Int) async throws -> Bool) async throws -> Int {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<number { group.addTask { try await call(index) } }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
    }

    /// Counts to 40 in eight tasks; each call of `increment` returns whether its compare-and-set succeeded.
    ///
    /// A correct store refuses a compare-and-set only if another task's compare-and-set has succeeded since the read. Only 40 succeed
    /// in all, so the store refuses each task fewer than 40 times.
    ///
    /// `increment` arrives at the meeting after its read, and waits there for all. So all tasks read the first value before one of them
    /// changes the value, and a store that does not compare always loses an increment.
    static func countToForty(_ increment: @escaping @Sendable (Meeting) async throws -> Bool) async throws {
        let readers = Meeting(of: 8)
        try await concurrently(8) { _ in
            var (successes, refusals) = (0, 0)
            while successes < 5 {
                if try await increment(readers) { successes += 1 } else { refusals += 1 }
                try #require(refusals < 40, "The store refused a change although no other change had succeeded.")
            }
        }
    }

    static func concurrently(_ number: Int, _ call: @escaping @Sendable (Int) async throws -> Void) async throws {
        _ = try await count(of: number) { index in
            try await call(index)
            return true
        }
    }
}
