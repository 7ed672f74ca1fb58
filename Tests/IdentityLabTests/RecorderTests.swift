import Foundation
import IdentityKit
import IdentityTesting
import Testing

@testable import identity_lab

@Suite struct RecorderTests {
    /// A store that may have a spool or not, like the store for PostgreSQL.
    private struct OptionallySpoolingStore: WrappingStore, LabStore, OptionalSpooling {
        let inner = InMemoryStore(maximumSessionsPerTenant: 1)
        let hasSpool: Bool

        func insertReplacement(_ session: StoredSession) async throws { try await inner.insertReplacement(session) }
        func readableSessions(matching filter: SessionFilter) async throws -> SessionListing {
            SessionListing(sessions: try await inner.sessions(matching: filter))
        }
        func sessions(matching filter: SessionFilter) async throws -> [StoredSession] {
            try await inner.sessions(matching: filter)
        }
        func sweep(expiredBefore date: Date) async throws -> Int { try await inner.sweep(expiredBefore: date) }
        func isUsed(_ key: String) async throws -> Bool { try await inner.isUsed(key) }
        func markUsed(_ key: String, until expiry: Date) async throws -> Bool {
            try await inner.markUsed(key, until: expiry)
        }
        func spool(_ session: StoredSession) {}
        func spooledSession(_ id: SessionID) -> StoredSession? { nil }
        func spooledSessions() -> [StoredSession] { [] }
        func removeSpooledSession(_ id: SessionID) {}
    }

    @Test("a recorder keeps the last 1,000 steps and counts all of them")
    func limit() {
        let recorder = Recorder { _ in "Service" }
        for number in 0..<1_500 {
            recorder.add(RecordedStep(from: .app, to: .store, title: "\(number)", started: .seconds(number)))
        }
        #expect(recorder.recorded.map(\.title) == (500..<1_500).map { "\($0)" })
        #expect(recorder.count == 1_500)
    }

    @Test("a store behind a recorder still replaces sessions at its limit, and says whether it has a spool")
    func abilities() async throws {
        let recorder = Recorder { _ in "Service" }
        for hasSpool in [true, false] {
            let store: any SessionStore = RecordingStore(
                base: OptionallySpoolingStore(hasSpool: hasSpool),
                recorder: recorder
            )
            #expect((store as? any OptionalSpooling)?.hasSpool == hasSpool)
        }
        let store: any SessionStore = RecordingStore(
            base: OptionallySpoolingStore(hasSpool: true),
            recorder: recorder
        )
        let replacing = try #require(store as? any SessionReplacing)
        for text in ["AAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAQ"] {
            let session = StoredSession(
                id: try #require(SessionID(rawValue: text)),
                provider: "any",
                tenant: "",
                issuer: "https://id.example",
                subject: "ada",
                createdAt: Date(),
                retainedUntil: .distantFuture,
                payload: Secret("tokens")
            )
            try await replacing.insertReplacement(session)
        }
        #expect(try await store.sessions(matching: SessionFilter()).count == 2)
    }
}
