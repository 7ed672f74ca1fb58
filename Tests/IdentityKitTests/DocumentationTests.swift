import FoundationEssentials
import TestGuides
import Testing

@Suite("Documentation")
struct DocumentationTests {
    private func codes(in path: String) throws -> [Substring] {
        try Repository.text(path).split(separator: "rawValue: \"").dropFirst().compactMap {
            $0.split(separator: "\"").first
        }
    }

    private func files() throws -> [String] {
        let sources = Repository.root.appending(path: "Sources").path
        let paths = try FileManager.default.subpathsOfDirectory(atPath: sources).filter { $0.hasSuffix(".swift") }
        return try paths.map { "Sources/" + $0 }.filter {
            try Repository.text($0).contains("extension IdentityError.Code {")
        }
    }

    @Test("the guide to errors lists every error code with its meaning")
    func catalogue() throws {
        let rows = try Repository.text("Documentation/Operating/Errors.md").split(separator: "\n")
        let known = try files().flatMap { try codes(in: $0) }
        #expect(known.count > 60)
        for code in known {
            let row = rows.first { $0.hasPrefix("| `\(code)` |") }
            let cells = row?.split(separator: "|").map { $0.filter { $0 != " " } } ?? []
            #expect(cells.count >= 2 && cells.allSatisfy { !$0.isEmpty }, "missing: \(code)")
        }
    }

    @Test("the guide to errors has no duplicate and no removed code")
    func ghosts() throws {
        let known = try files().flatMap { try codes(in: $0).map(String.init) }
        #expect(known.count == Set(known).count)
        let listed = try Repository.text("Documentation/Operating/Errors.md").split(separator: "\n## ").dropFirst()
            .flatMap { $0.split(separator: "\n") }
            .filter { $0.hasPrefix("| `") }
            .compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
        #expect(listed.sorted() == known.sorted())
    }

    /// The pages, as paths relative to the root.
    private func pages() throws -> [String] {
        let folders = ["Documentation", "Examples", "Sources", "Tests"]
        let paths = try folders.flatMap { folder in
            try FileManager.default.subpathsOfDirectory(atPath: Repository.root.appending(path: folder).path)
                .map { "\(folder)/\($0)" }
        }
        return ["README.md"] + paths.filter { $0.hasSuffix(".md") && !$0.contains("/.build/") }
    }

    /// The text outside of code blocks.
    private func prose(_ page: String) throws -> String {
        let parts = try Repository.text(page).split(separator: "```", omittingEmptySubsequences: false)
        return parts.enumerated().filter { $0.offset.isMultiple(of: 2) }.map { String($0.element) }.joined()
    }

    /// The targets of a page's links, except for web links.
    private func links(of page: String) throws -> [String] {
        try prose(page).split(separator: "](").dropFirst()
            .compactMap { $0.split(separator: ")", omittingEmptySubsequences: false).first.map(String.init) }
            .filter { !$0.contains("://") }
    }

    private func anchors(of page: String) throws -> [String] {
        try prose(page).split(separator: "\n").filter { $0.hasPrefix("#") }.map { line in
            let heading = line.drop { $0 == "#" }.dropFirst().lowercased()
            let kept = heading.filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }
            return String(kept.map { $0 == " " ? "-" : $0 })
        }
    }

    @Test("every link between the pages leads to an existing page and heading")
    func resolves() throws {
        var found = 0
        for page in try pages() {
            let folder = URL(filePath: "/" + page).deletingLastPathComponent()
            for link in try links(of: page) {
                found += 1
                let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                let target =
                    parts[0].isEmpty ? page : String(folder.appending(path: parts[0]).standardized.path.dropFirst())
                #expect(
                    FileManager.default.fileExists(atPath: Repository.root.appending(path: target).path),
                    "\(page) links to \(link)"
                )
                guard parts.count > 1 else { continue }
                #expect(try anchors(of: target).contains(parts[1]), "\(page) links to \(link)")
            }
        }
        #expect(found > 40)
    }

    @Test("the index links to every page of the documentation, and the README links to the index")
    func isComplete() throws {
        #expect(try links(of: "README.md").contains("Documentation/README.md"))
        let linked = try ["Documentation", "Documentation/Decisions"].flatMap { folder in
            try links(of: "\(folder)/README.md").map { "\(folder)/\($0)" }
        }
        for page in try pages() where page.hasPrefix("Documentation/") && page != "Documentation/README.md" {
            #expect(linked.contains(page), "missing: \(page)")
        }
    }

    @Test("every file and folder that the architecture page names exists")
    func architecture() throws {
        let paths = try Repository.text("Documentation/Architecture.md").matches(
            of: /`((?:Sources|Tests|Documentation)\/[A-Za-z0-9+.\/-]+)`/
        )
        #expect(paths.count > 40)
        for path in paths {
            #expect(
                FileManager.default.fileExists(atPath: Repository.root.appending(path: String(path.1)).path),
                "\(path.1)"
            )
        }
    }
}
