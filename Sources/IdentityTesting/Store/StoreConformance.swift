public import IdentityKit
public import Testing

/// What every `SessionStore` has to do; whoever writes one runs it, each case against a store of its own.
///
/// ```swift
/// @Test(arguments: StoreConformance.cases)
/// func conformance(_ promise: StoreConformance.Case) async throws {
///     try await promise.run { try await MyStore(emptyDirectory()) }
/// }
/// ```
///
/// A store that is a `UsedTokenStore`, an `ExpirySweeping` or a `SessionLocking` too has to keep their promises as well; for
/// others those cases pass at once.
public struct StoreConformance: Sendable {
    /// One promise.
    public struct Case: Sendable, CustomTestStringConvertible {
        /// The promise in words.
        public let name: String
        private let body: @Sendable (any SessionStore) async throws -> Void

        init(_ name: String, _ body: @escaping @Sendable (any SessionStore) async throws -> Void) {
            self.name = name
            self.body = body
        }

        /// The promise in words.
        public var testDescription: String { name }

        /// Runs the case against a fresh, empty store.
        public func run(_ make: () async throws -> any SessionStore) async throws {
            try await body(try await make())
        }
    }

    /// All promises.
    public static let cases: [Case] =
        sessionCases + filterCases + providerSessionCases + loginAttemptCases + usedTokenCases + attachmentCases
        + sweepCases + lockCases
}
