import FoundationEssentials
import Fuzzing
import Testing

/// Runs the fuzz targets without a fuzzer: with the corpus, which contains the inputs of all findings, and with mutations of it.
@Suite("Fuzz targets")
struct CorpusTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Proofs/Fuzzing/Corpus")

    private func corpus(_ target: FuzzTarget) throws -> [(name: String, input: [UInt8])] {
        let folder = Self.folder.appending(path: target.name)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { name in
            (name, Array(try Data(contentsOf: folder.appending(path: name))))
        }
    }

    @Test("every input of the corpus meets its target's conditions", arguments: FuzzTarget.all)
    func replay(target: FuzzTarget) async throws {
        let inputs = try corpus(target)
        #expect(inputs.count >= 3)
        for (name, input) in inputs {
            do { try await target.check(input) } catch { Issue.record("\(target.name)/\(name): \(error)") }
        }
    }

    @Test(
        "mutated inputs of the corpus meet their target's conditions, and are the same in every run",
        arguments: FuzzTarget.all
    )
    func mutations(target: FuzzTarget) async throws {
        var mutator = Mutator(seed: 0x1D, corpus: try corpus(target).map(\.input))
        for _ in 0..<(2000 / target.cost) {
            let input = mutator.next()
            do {
                try await target.check(input)
            } catch {
                Issue.record("\(target.name): \(error), by \(Data(input).base64EncodedString())")
                return
            }
        }
    }

    @Test("every target has a folder in the corpus, and there are no other folders")
    func folders() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(Set(folders) == Set(FuzzTarget.all.map(\.name)))
    }
}

extension FuzzTarget: CustomTestStringConvertible {
    /// The target's name.
    public var testDescription: String { name }
}
