import Foundation
import TestGuides
import Testing

@testable import StorefrontGeneration

/// The files of the generated code in this target.
@Suite struct GoldenFilesTests {
    /// With IDENTITYKIT_WRITE_GOLDEN set, the files are written instead.
    @Test("the generated code in this target is what the generator writes", .row("B3"))
    func isCurrent() throws {
        let files = try Golden.files()
        let isWriting = ProcessInfo.processInfo.environment["IDENTITYKIT_WRITE_GOLDEN"] != nil
        for (name, text) in files {
            let url = Golden.folder.appendingPathComponent(name)
            if isWriting {
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                try Data(text.utf8).write(to: url)
            }
            #expect(try String(contentsOf: url, encoding: .utf8) == text, "\(name)")
        }
        let present = try #require(FileManager.default.subpaths(atPath: Golden.folder.path)).filter {
            $0.hasSuffix(".swift")
        }
        #expect(Set(present) == Set(files.keys))
    }

    @Test("the order of the input files does not change the generated code", .row("B13"))
    func deterministic() throws {
        let parts = Golden.documents.components(separatedBy: "\nmutation ")
        let files = [parts[0]] + parts.dropFirst().map { "mutation " + $0 }
        let schema = try TestSchema.schema()
        let configuration = try Configuration(parsing: Array(Golden.configuration.utf8))
        let generator = Generator(schema: schema, configuration: configuration, access: "internal")
        let forward = try generator.run(files.enumerated().map { SourceFile(name: "\($0).graphql", text: $1) })
        let backward = try generator.run(
            files.reversed().enumerated().map { SourceFile(name: "\($0).graphql", text: $1) }
        )
        let golden = try Golden.files()
        #expect(forward.files == backward.files && forward.files == golden)
    }
}
