import FoundationEssentials
import Testing

@Suite("What the documents refer to")
struct DocumentReferenceTests {
    private var root: URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    }

    private func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: root.appending(path: path)), as: UTF8.self)
    }

    @Test(
        "every test that the documents name is there, and whatever they say is tested names one",
        arguments: ["ThreatModel", "Conformance"]
    )
    func proofs(document: String) throws {
        let files = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: "Tests").path)
        let rows = try text("Documentation/\(document).md").split(separator: "\n")
        var count = 0
        for row in rows {
            // `File.swift` "name of the test"
            let references = row.split(separator: ".swift` \"", omittingEmptySubsequences: false)
            for (before, after) in zip(references, references.dropFirst()) {
                let file = (before.split(separator: "`").last ?? "") + ".swift"
                let name = after.split(separator: "\"").first ?? ""
                let found = try files.filter { $0.hasSuffix("/\(file)") }.contains { path in
                    try text("Tests/\(path)").contains("\"\(name)\"")
                }
                #expect(found, "\(document): \(file) has no test \"\(name)\"")
                count += 1
            }
        }
        #expect(count > 30)
        // A row with a defence in it has three cells or four, and the last one is the proof.
        for table in try text("Documentation/\(document).md").split(separator: "\n\n")
        where table.contains("| test |\n") {
            for row in table.split(separator: "\n").drop(while: { !$0.hasPrefix("| ---") }).dropFirst()
            where row.hasPrefix("|") {
                #expect(row.split(separator: "|").last { $0 != " " }?.contains(".swift` \"") == true, "\(row)")
            }
        }
    }

    @Test("something leads to every document, and every link between documents leads somewhere")
    func links() throws {
        let folder = root.appending(path: "Documentation")
        let documents = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".md") }
        var linked = try text("README.md")
        for document in documents { linked += try text("Documentation/\(document)") }
        for document in documents where !document.contains("/") {
            let isLinked = linked.contains("](Documentation/\(document)") || linked.contains("](\(document)")
            #expect(isLinked, "Nothing leads to \(document)")
        }
        for document in documents {
            let base = folder.appending(path: document).deletingLastPathComponent()
            for link in try text("Documentation/\(document)").split(separator: "](").dropFirst() {
                let target = link.prefix { $0 != ")" && $0 != "#" }
                guard !target.isEmpty, !target.contains(":") else { continue }
                #expect(
                    FileManager.default.fileExists(atPath: base.appending(path: String(target)).path),
                    "\(document): \(target)"
                )
            }
        }
    }
}
