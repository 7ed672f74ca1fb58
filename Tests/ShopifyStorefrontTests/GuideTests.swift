import Foundation
import TestGuides
import Testing

@Suite("The guide to the migration")
struct GuideTests {
    static let schemas = ProcessInfo.processInfo.environment["IDENTITYKIT_SCHEMAS"]

    private func page() throws -> GuidePage { try GuidePage("Documentation/Using/MigratingFromTheMobileBuySDK.md") }

    @Test(
        "every GraphQL document of the migration guide is valid against every supported schema",
        .row("D17"),
        .enabled(if: schemas != nil, "set IDENTITYKIT_SCHEMAS to a folder with Shopify's schemas")
    )
    func documents() throws {
        let blocks = try page().blocks("graphql")
        #expect(!blocks.isEmpty)
        let documents = Dictionary(uniqueKeysWithValues: blocks.enumerated().map { ("\($0)", $1) })
        let report = try SchemaCheck.run(documents, schemas: #require(Self.schemas))
        #expect(report.isValid, "\(report.text)")
    }

    private func rows() throws -> [(id: String, tests: String)] {
        try page().text.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 3, cells[0].wholeMatch(of: /[A-E][0-9]{1,2}/) != nil else { return nil }
            return (cells[0], cells[2])
        }
    }

    @Test("the migration guide's table has each row from A1 to E9 once, in order")
    func everyRow() throws {
        let counts = [("A", 9), ("B", 13), ("C", 5), ("D", 17), ("E", 9)]
        let expected = counts.flatMap { letter, count in (1...count).map { "\(letter)\($0)" } }
        #expect(try rows().map(\.id) == expected)
    }

    @Test("every row of the migration guide's table names tests, and those tests are marked with the row")
    func rowsNameProofs() throws {
        let proofs = try GuideProofs(in: Repository.root.appending(path: "Tests")).proofs
        for row in try rows() {
            let named = row.tests.matches(of: /`([^`]+)` in `([A-Za-z0-9+]+\.swift)`/)
            #expect(!named.isEmpty, "\(row.id) names no test")
            for match in named {
                let isMarked = proofs.contains {
                    $0.file == match.2 && $0.name == match.1 && $0.rows.contains(row.id)
                }
                #expect(isMarked, "\(row.id): no test in \(match.2) has this name and .row(\"\(row.id)\"): \(match.1)")
            }
        }
    }

    @Test("every test that is marked with a row is named in that row of the migration guide's table")
    func proofsStandInRows() throws {
        let rows = Dictionary(uniqueKeysWithValues: try rows().map { ($0.id, $0.tests) })
        let proofs = try GuideProofs(in: Repository.root.appending(path: "Tests")).proofs
        #expect(proofs.count > 60)
        for proof in proofs {
            for row in proof.rows {
                let isNamed = rows[row]?.contains("`\(proof.name)` in `\(proof.file)`") == true
                #expect(isNamed, "\(row) does not name this test of \(proof.file): \(proof.name)")
            }
        }
    }
}
