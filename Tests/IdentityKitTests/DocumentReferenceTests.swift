import FoundationEssentials
import TestGuides
import Testing

@Suite("References in the documentation")
struct DocumentReferenceTests {
    @Test(
        "every test that the documentation names exists, and every row of a table of tests names one",
        arguments: ["Trust/ThreatModel", "Trust/Conformance"]
    )
    func proofs(document: String) throws {
        let files = try FileManager.default.subpathsOfDirectory(atPath: Repository.root.appending(path: "Tests").path)
        let rows = try Repository.text("Documentation/\(document).md").split(separator: "\n")
        var count = 0
        for row in rows {
            // `File.swift` "name of the test"
            let references = row.split(separator: ".swift` \"", omittingEmptySubsequences: false)
            for (before, after) in zip(references, references.dropFirst()) {
                let file = (before.split(separator: "`").last ?? "") + ".swift"
                let name = after.split(separator: "\"").first ?? ""
                let found = try files.filter { $0.hasSuffix("/\(file)") }.contains { path in
                    try Repository.text("Tests/\(path)").contains("\"\(name)\"")
                }
                #expect(found, "\(document): \(file) has no test \"\(name)\"")
                count += 1
            }
        }
        #expect(count > 30)
        // In a table with a column "test", the last cell of each row names the test.
        for table in try Repository.text("Documentation/\(document).md").split(separator: "\n\n")
        where table.contains("| test |\n") {
            for row in table.split(separator: "\n").drop(while: { !$0.hasPrefix("| ---") }).dropFirst()
            where row.hasPrefix("|") {
                #expect(row.split(separator: "|").last { $0 != " " }?.contains(".swift` \"") == true, "\(row)")
            }
        }
    }

    @Test("every test that the page of the transport limits names exists")
    func transportLimits() throws {
        let files = try ["Sources", "Tests"].flatMap { folder in
            try FileManager.default.subpathsOfDirectory(atPath: Repository.root.appending(path: folder).path).map {
                "\(folder)/\($0)"
            }
        }
        var count = 0
        // conformance: "name of a case", "name of another case"; `SuiteTests`: "name of a test"
        let page = try Repository.text("Documentation/Trust/TransportLimits.md")
        for proof in page.matches(of: /(?:`(\w+)`|conformance): ((?:"[^"]+"(?:, )?)+)/) {
            let file = proof.1.map(String.init) ?? "TransportConformance"
            let sources = try files.filter { $0.contains("/\(file)") && $0.hasSuffix(".swift") }.map(Repository.text)
            for name in proof.2.matches(of: /"([^"]+)"/).map(\.1) {
                #expect(sources.contains { $0.contains("\"\(name)\"") }, "\(file) has no test \"\(name)\"")
                count += 1
            }
        }
        #expect(count > 40)
    }

    @Test("the script Tests/Proofs/nested-packages names only test files that exist")
    func filesOfNestedPackages() throws {
        let files = try Repository.text("Tests/Proofs/nested-packages").matches(of: /Tests\/[A-Za-z\/]+\.swift/).map(
            \.output
        )
        #expect(files.contains("Tests/WebShopTests/SignInInTheBrowserTests.swift"))
        for file in files {
            #expect(
                FileManager.default.fileExists(atPath: Repository.root.appending(path: String(file)).path),
                "\(file)"
            )
        }
    }
}
