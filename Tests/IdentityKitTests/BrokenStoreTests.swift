import IdentityKit
import IdentityTesting
import Testing

@Suite("The conformance suite of stores")
struct BrokenStoreTests {
    /// The conformance cases that must fail for each mistake.
    static let caught: [(Defect, StoreConformance.Case)] = Defect.allCases.flatMap { defect in
        defect.caught.flatMap { part in
            StoreConformance.cases.filter { $0.name.contains(part) }.map { (defect, $0) }
        }
    }

    @Test("detects a store that", arguments: caught)
    func finds(_ defect: Defect, _ promise: StoreConformance.Case) async throws {
        await withKnownIssue {
            try await promise.run(
                on: StoreUnderTest([.attemptLimit, .usedTokenLimit, .sessionLimit]) { BrokenStore(defect, $0) }
            )
        }
    }

    @Test("has a case for each expected name", arguments: Defect.allCases)
    func isComplete(_ defect: Defect) {
        for part in defect.caught {
            #expect(StoreConformance.cases.contains { $0.name.contains(part) }, "\(part)")
        }
    }
}
