import FoundationEssentials
import Testing

@Suite("Documentation")
struct DocumentationTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: Self.root.appending(path: path)), as: UTF8.self)
    }

    /// The codes that a file of the sources defines.
    private func codes(in path: String) throws -> [Substring] {
        try text(path).split(separator: "rawValue: \"").dropFirst().compactMap { $0.split(separator: "\"").first }
    }

    /// The files of the sources that define codes.
    private func files() throws -> [String] {
        let sources = Self.root.appending(path: "Sources").path
        let paths = try FileManager.default.subpathsOfDirectory(atPath: sources).filter { $0.hasSuffix(".swift") }
        return try paths.map { "Sources/" + $0 }.filter { try text($0).contains("extension IdentityError.Code {") }
    }

    @Test("every error code stands in the catalogue, with what it means")
    func catalogue() throws {
        let rows = try text("Documentation/Errors.md").split(separator: "\n")
        let known = try files().flatMap { try codes(in: $0) }
        #expect(known.count > 60)
        for code in known {
            let row = rows.first { $0.hasPrefix("| `\(code)` |") }
            let cells = row?.split(separator: "|").map { $0.filter { $0 != " " } } ?? []
            #expect(cells.count >= 2 && cells.allSatisfy { !$0.isEmpty }, "missing: \(code)")
        }
    }

    @Test("the catalogue lists no code twice and none that is gone")
    func ghosts() throws {
        let known = try files().flatMap { try codes(in: $0).map(String.init) }
        #expect(known.count == Set(known).count)
        let listed = try text("Documentation/Errors.md").split(separator: "\n## ").dropFirst()
            .flatMap { $0.split(separator: "\n") }
            .filter { $0.hasPrefix("| `") }
            .compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
        #expect(listed.sorted() == known.sorted())
    }
}
