import IdentityKit
import IdentityTesting
import Synchronization
import Testing

@Suite("The conformance suite of stores")
struct BrokenStoreTests {
    /// The conformance cases that must fail for each mistake.
    static let caught: [(Defect, StoreConformance.Case)] = Defect.allCases.flatMap { defect in
        defect.caught.flatMap { part in
            StoreConformance.cases.filter { $0.name.contains(part) }.map { (defect, $0) }
        }
    }

    @Test("the named cases of the conformance suite fail for a store with the defect", arguments: caught)
    func finds(_ defect: Defect, _ testCase: StoreConformance.Case) async throws {
        await withKnownIssue {
            try await testCase.run(on: Self.place(defect))
        }
    }

    @Test("the cases about damaged attachments pass for a store with another defect")
    func unrelated() async throws {
        for part in Defect.keepsLoggedIn.caught + Defect.trustsOwner.caught {
            for testCase in StoreConformance.cases where testCase.name.contains(part) {
                try await testCase.run(on: Self.place(.marksTwice))
            }
        }
    }

    private static func place(_ defect: Defect) -> StoreUnderTest {
        let opened = Mutex<BrokenStore?>(nil)
        return StoreUnderTest([.attemptLimit, .usedTokenLimit, .sessionLimit]) { damage in
            opened.withLock { $0 }?.damage(damage) ?? false
        } open: { options in
            let store = BrokenStore(defect, options)
            opened.withLock { $0 = store }
            return store
        }
    }

    @Test("a case for a protocol that the store does not have is reported as not applicable, and never as passed")
    func notApplicable() async throws {
        let name = "a tenant at its limit can get a session that replaces another one"
        let testCase = try #require(StoreConformance.cases.first { $0.name == name })
        // The known issues are the warning and the error that cancels the case.
        await withKnownIssue {
            try await testCase.run(on: Self.place(.marksTwice))
        }
    }

    @Test("the conformance suite has a case for each expected name", arguments: Defect.allCases)
    func isComplete(_ defect: Defect) {
        for part in defect.caught {
            #expect(StoreConformance.cases.contains { $0.name.contains(part) }, "\(part)")
        }
    }
}
