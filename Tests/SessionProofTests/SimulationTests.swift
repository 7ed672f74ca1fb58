import Foundation
import TestDirectories
import Testing

/// Sessions in a simulated world; `Tests/Proofs/simulate` runs longer.
@Suite(.serialized)
struct SimulationTests {
    private let simulator = Program(name: "identity-simulator")

    @Test("Injected faults cause no revocation by a race and lose no acknowledged token", arguments: [203, 214, 401])
    func everyRuleHolds(_ seed: Int) async throws {
        let ended = try await simulator.run(["--steps", "15000", "--seed", "\(seed)"])
        #expect(ended.status == 0, "\(ended.output)")
        #expect(ended.output.contains("0 families revoked by a race, 0 acknowledged tokens lost"))
    }

    @Test("The same seed gives the same history, byte for byte")
    func sameSeedSameHistory() async throws {
        let folder = try TemporaryDirectory("history")
        defer { folder.remove() }
        var histories: [Data] = []
        for name in ["first", "second"] {
            let path = folder.path(of: name)
            _ = try await simulator.run(["--steps", "8000", "--seed", "7", "--history", path])
            histories.append(try Data(contentsOf: URL(filePath: path)))
        }
        #expect(histories[0].count > 20_000)
        #expect(histories[0] == histories[1])
    }

    @Test(
        "The simulation detects injected faults",
        arguments: [
            "no-lock", "no-claim", "no-generation", "no-journal", "never-asks-lease", "validated-by-now",
            "resends-refused",
        ]
    )
    func mutantsAreFound(_ mutant: String) async throws {
        var findings = 0
        for seed in 1...4 where findings == 0 {
            let ended = try await simulator.run(["--steps", "60000", "--seed", "\(seed)", "--mutant", mutant])
            #expect([0, 1].contains(ended.status), "\(ended.output)")
            if ended.status == 1 {
                findings += 1
                #expect(ended.output.contains("BROKEN: "))
                #expect(ended.output.contains("repeat: Tests/Proofs/simulate 60000 \(seed) --mutant \(mutant)"))
            }
        }
        #expect(findings > 0)
    }
}
